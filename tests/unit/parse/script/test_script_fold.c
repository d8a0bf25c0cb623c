/* parse/script/script_fold.c: links that scripts join from constants. A link is shown as attr=href. */
#include "parse/script/script_fold.h"

#include <crawl/links.h>
#include <criterion/criterion.h>

typedef struct fold_row {
    const char *script;
    const char *expected;
} fold_row;

static const fold_row joined[] = {
    {"a.href='/'+'tea'+\".html\"", "href=/tea.html"},
    {"a={href:'b'+'.html'}", "href=b.html"},
    {"x=('/tea/'+'green')+'.html'", "string=/tea/green.html"},
    {"x=['/tea','green'].join('/')+'.html'", "string=/tea string=/tea/green.html"},
    {"open('/'+['pop','up'].join('')+'.html')", "open=/popup.html"},
    {"x=['/tea','b'].join('/').concat('c','/d')", "string=/tea string=/tea/bc/d"},
    {"x='/tea'.concat('/', `b`)", "string=/tea/b"},
    {"x=`/tea/${'green'}/${1+2}.html`", "string=/tea/green/3.html"},
    {"x='/tea/'+'\\u0062'+1+2", "string=/tea/b12"},
    {"x={content:'5; url='+'/moved'}", "href=/moved"},
    {"x='<a href=\"/'+'tea'+'.html\">'+y+'</a>'", "href=/tea.html"},
    {"x='<a href=\"/a\">'+b+'<a href=\"/c'+'d\">'", "href=/a href=/cd"},
    {"x={urls:['/a'+'b','/c'+'d']}", "urls=/ab urls=/cd"},
};

static const fold_row constants[] = {
    {"const a='/tea';b=a+'/green'", "string=/tea string=/tea/green"},
    {"let a='tea',c='x';b='/'+a+'/green'", "string=/tea/green"},
    {"const a='b'+'.html';x.href=a", "href=b.html"},
    {"const a='/tea',b=a+'/x',c=b+'/yy'", "string=/tea string=/tea/x string=/tea/x/yy"},
    {"const o={p:'tea',q:{r:'s'}};b='/'+o.p+'/'+o['q'].r+'t'", "string=/tea/st"},
    {"const {p}={p:'tea'};b='/'+p", "string=/tea"},
    {"const t=['green','tea'];b='/'+t[1]+t.length", "string=/tea2"},
    {"{const a='tea';x='/'+a+'/1'}{const a='cup';x='/'+a+'/2'}", "string=/tea/1 string=/cup/2"},
};

static const fold_row loops[] = {
    {"for(const t of ['aa','bb'])x='/'+t+'.html'", "string=/aa.html string=/bb.html"},
    {"const l=['aa','bb'];for(const t of l){x.href='/'+t}", "href=/aa href=/bb"},
    {"['aa','bb'].map(t=>'/'+t+'.html')", "string=/aa.html string=/bb.html"},
    {"const l=['aa','bb'];l.forEach(function(t){f('/x/'+t)})", "string=/x/aa string=/x/bb"},
    {"['aa'].flatMap((t,i)=>['/'+t])", "string=/aa"},
    {"[{s:'aa',n:1},{s:'bb',n:2}].map(t=>'/x/'+t.s+'/'+t.n)", "string=/x/aa/1 string=/x/bb/2"},
    {"[{s:'aa'}].map(({s})=>`/x/${s}`)", "string=/x/aa"},
    {"[{s:'aa'}].map(({s:u})=>`/x/${u}`)", "string=/x/aa"},
    {"for(const a of ['aa','bb'])for(const c of ['c','d'])x='/'+a+'/'+c",
     "string=/aa/c string=/aa/d string=/bb/c string=/bb/d"},
    {"for(const g of [{l:['aa','bb']},{l:['cc']}])for(const t of g.l)x='/x/'+t",
     "string=/x/aa string=/x/bb string=/x/cc"},
    {"for(let i=0;i<3;i++)x='/page/'+i", "string=/page/0 string=/page/1 string=/page/2"},
    {"for(var i=1;i<=2;++i){x='/page/'+(i+1)}", "string=/page/2 string=/page/3"},
    {"const l=['aa','bb'];for(let i=0;i<l.length;i++)x='/'+l[i]", "string=/aa string=/bb"},
    {"const l=['aa','bb'];for(let i=0;y&&i<l.length&&z;i++)x='/'+l[i]", "string=/aa string=/bb"},
    {"let n=0\nfor(;n<2;n++)x='/row/'+n", "string=/row/0 string=/row/1"},
    {"function f(t){t=1}let t='tea';o[t]=x='/'+t", "string=/tea"},
    {"function f(){let t=1}let t='tea';x='/'+t", "string=/tea"},
    {"let t='tea';{let [t]=g();const {t:u}=g()}function f(){for(const t of y);}x='/'+t", "string=/tea"},
    {"let n=0;function f(){for(const e=n+9;n<e&&n<2;n++)x='/row/'+n}", "string=/row/0 string=/row/1"},
    {"const o={aa:1,'bb':2};Object.keys(o).forEach(k=>f('/'+k))", "string=/aa string=/bb"},
    {"const l=['aa','bb'];x='/'+l[n++]+'/c'", "string=/aa/c string=/bb/c"},
    {"const l=Object.keys({aa:1,bb:2});let n=0;push(null,'','/'+l[n++])", "string=/aa string=/bb"},
    {"const o={aa:'/cc',bb:'/dd'};location=o[this.value]+'/e'", "string=/cc string=/dd location=/cc/e location=/dd/e"},
    {"const l=['aa','bb'],a=l[n];x='/'+a+'/'+a", "string=/aa/aa string=/bb/bb"},
    {"const l=['aa','bb'];for(let i=0;i<l.length-1;i++)b='/'+l[i]", "string=/aa string=/bb"},
    {"for(const k in {aa:1,bb:2})x='/'+k", "string=/aa string=/bb"},
    {"Object.entries({aa:'c',bb:'d'}).map(([k,v])=>'/'+k+'/'+v)", "string=/aa/c string=/bb/d"},
    {"x=`<ul>${['aa','bb'].map(t=>`<li><a href=\"/${t}.html\">${y(t)}</a>`).join('')}</ul>`",
     "href=/aa.html href=/bb.html"},
};

static const fold_row files[] = {
    {"import('./chunk.js')", "src=./chunk.js"},
    {"for(const n of ['one','two'])Object.assign(s,{src:n+'.js'})", "src=one.js src=two.js"},
    {"document.write('<scr'+'ipt src=b.js></scr'+'ipt>')", "src=b.js"},
    {"document.write('<scr'+'ipt src=\"b'+'.js\"></scr'+'ipt>')", "src=b.js"},
    {"document.write('<script src=b.js></script>'+x)", "src=b.js"},
    {"const a='<script src=b.js></script>';x(a+'<scr'+'ipt src=c.js>')", "src=b.js src=c.js"},
    {"s.src='/a'+'.png';import('shop');import('./'+x+'.js');new Worker('./w.js')", ""},
};

/* What is unknown, or no page when it is known. */
static const fold_row none[] = {
    {"x='/tea/'+b", ""},
    {"x=`/tea/${b}`", ""},
    {"x='/tea/'+f('x')+'/y'", ""},
    {"x=['/','tea',b].join('/')", ""},
    {"x=('/tea/'+'green')+b", ""},
    {"x=b+('/tea/'+'green')", ""},
    {"x=`${'/tea/'+'green'}${b}`", ""},
    {"x=['/tea/'+'green',b].join('/')", ""},
    {"x='/tea/'+'green'==b", ""},
    {"x='/tea/'+'green'?b:c", ""},
    {"x='/tea/'+2*3", ""},
    {"x='/tea/'+(i?'a':'b')", ""},
    {"x='/tea/'.replace('e','a')+'b'", ""},
    {"x='/item'+'/:id'", ""},
    {"x='/a'+'pi/x'", ""},
    {"x='tea-'+'green'", ""},
    {"x='shop.'+'title'", ""},
    {"fetch('/te'+'a')", ""},
    {"x='/tea'+'.css'", ""},
    {"_paq.push(['to','//a.example/'+'b'])", ""},
    {"x='/tea'+'?q='", ""},
    {"let a='tea';a='cup';b='/'+a", ""},
    {"let a='tea';b='/'+a;function f(){a=g()}", ""},
    {"let a='tea';a+='s';b='/'+a", ""},
    {"let n=0;n++;x='/page/'+n", ""},
    {"const o={p:'tea'};o.p=x;b='/'+o.p", ""},
    {"const o={...x,p:'tea'};b='/'+o.p", ""},
    {"const a='tea';function f(a){return'/'+a}", ""},
    {"const a='tea';f((a,b)=>'/'+a)", ""},
    {"const a='tea';f(a=>{b='/'+a})", ""},
    {"const a='tea';function f(){const a=g();return'/'+a}", ""},
    {"const a='tea';function f(){const {a}=g();return'/'+a}", ""},
    {"const a='tea';try{}catch(a){b='/'+a}", ""},
    {"const a='tea';for(const a of x)b='/'+a", ""},
    {"const a='tea';class B{m(a){return'/'+a}}", ""},
    {"{const a='tea'}b='/'+a", ""},
    {"['tea'].map(t=>{t=f(t);return'/'+t})", ""},
    {"['tea'].map((x,t)=>'/'+t)", ""},
    {"['tea'].filter(f).map(t=>'/'+t)", ""},
    {"x['tea'].map(t=>'/'+t)", ""},
    {"[...x].map(t=>'/'+t)", ""},
    {"for(const t of x)b='/'+t", ""},
    {"for(let i=0;i<x;i++)b='/page/'+i", ""},
    {"for(let i=0;i<1000;i++)b='/page/'+i", ""},
    {"for(let i=0;i<3;i++){i=f();b='/page/'+i}", ""},
    {"for(let i=0;i<3;i++)i=f('/page/'+i)", ""},
    {"const l=['aa','bb'],m=['c','d'];b='/'+l[n]+'/'+m[n]", ""},
    {"const l=['aa','bb'];l[n]='c';b='/'+l[n]", ""},
    {"const l=['aa',...x];b='/'+l[n]", ""},
    {"const l=['aa','bb'];b='/'+l[99]", ""},
    {"for(let i=0;i<3-k;i++)b='/page/'+i", ""},
    {"for(let i=0;2*i<3;i++)b='/page/'+i", ""},
    {"for(let i=0;i<3||k;i++)b='/page/'+i", ""},
    {"for(let i=0x1;i<3;i++)b='/page/'+i", ""},
    {"for(let i=1+z;i<3;i++)b='/page/'+i", ""},
    {"let n=1+z;for(;n<3;n++)b='/page/'+n", ""},
    {"let n=1;for(n=f();n<3;n++)b='/page/'+n", ""},
    {"let n=1;n=f();for(;n<3;n++)b='/page/'+n", ""},
    {"let n=0;for(;n<1;n++);for(;n<2;n++)b='/page/'+n", ""},
    {"b='/page/'+[...q].length", ""},
    {"b='/page/'+[...q,'aa'][1]", ""},
    {"b='/page'+[...q,'/a'].join('')", ""},
    {"let a='tea';[a]=f();b='/'+a", ""},
    {"let a='tea';({x:a}=f());b='/'+a", ""},
    {"let a='tea';for(a of q);b='/'+a", ""},
    {"let a='tea';for(a in q);b='/'+a", ""},
    {"let a='tea';for([a] of q);b='/'+a", ""},
    {"function f(){a=g()}let a='tea';b='/'+a", ""},
    {"for(const k in x)b='/'+k", ""},
    {"Object.keys({...x}).map(k=>'/'+k)", ""},
    {"const a=a+'x',b=c+'x',c=b+'x';d='/'+a+b", ""},
};

static void append_links(const crawl_page *page, crawl_buf *out)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    crawl_buf_append_text(out, "");
    for (size_t i = 0; i < count; i++)
        crawl_buf_printf(out, "%s%s=%.*s", i ? " " : "", links[i].attr, (int)links[i].href.size, links[i].href.data);
}

static void expect_rows(const fold_row *rows, size_t count)
{
    crawl_page *page = crawl_page_create();
    crawl_buf out = {0};
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPTS | CRAWL_LINK_SCRIPT);
    for (size_t i = 0; i < count; i++) {
        crawl_slice script = crawl_slice_from(rows[i].script);
        cr_assert_eq(crawl_page_parse_as(page, CRAWL_DOCUMENT_SCRIPT, script, NULL, "utf-8"), CRAWL_OK);
        crawl_buf_clear(&out);
        append_links(page, &out);
        cr_expect_str_eq(out.data, rows[i].expected, "%s: %s", rows[i].script, out.data);
    }
    crawl_buf_free(&out);
    crawl_page_free(page);
}

#define EXPECT(rows) expect_rows(rows, sizeof(rows) / sizeof *(rows))

Test(script_fold, joined_constants)
{
    EXPECT(joined);
    EXPECT(constants);
}

Test(script_fold, each_value_of_a_loop)
{
    EXPECT(loops);
}

Test(script_fold, script_files)
{
    EXPECT(files);
}

Test(script_fold, what_is_unknown_gives_no_link)
{
    EXPECT(none);
}

static crawl_err count_value(void *user, const cw_script_string *string)
{
    size_t *counts = user;
    counts[0]++;
    counts[1] += string->raw.size;
    return CRAWL_OK;
}

/* Each of these has endless values, or values without end, or brackets without end. */
Test(script_fold, work_is_bounded)
{
    static const fold_row repeated[] = {
        {"const a='0123456789abcdef'+'x';", "const a=a+a;b=a+a+'x';"},
        {"", "for(const a of ['a','b','c'])for(const b of ['a','b','c'])x='/'+a+b;"},
        {"", "((((["},
        {"", "`${"},
        {"", "const a=const "},
        {"", "(a,b)=>["},
        {"x=", "'a'+"},
        {"", "[1].map(a=>a+'b'+"},
        {"for(const a of [", "'/tea',"},
    };
    crawl_buf text = {0};
    for (size_t i = 0; i < sizeof repeated / sizeof repeated[0]; i++) {
        size_t counts[2] = {0};
        crawl_buf_clear(&text);
        crawl_buf_append_text(&text, repeated[i].script);
        while (text.size < 200000)
            crawl_buf_append_text(&text, repeated[i].expected);
        crawl_buf_append_text(&text, "1]){x='/'+a}");
        cw_script_fold_to to = {counts, count_value};
        cr_expect_eq(cw_script_fold(crawl_buf_slice(&text), &to), CRAWL_OK);
        cr_expect_leq(counts[1], 20 * text.size, "%s", repeated[i].expected);
    }
    crawl_buf_free(&text);
}

static void append_until(crawl_buf *text, const char *part, size_t size)
{
    while (*part && text->size < size)
        crawl_buf_append_text(text, part);
}

/* A search that begins anew for each part of these takes minutes. */
Test(script_fold, time_is_in_proportion_to_the_text, .timeout = 60)
{
    static const struct {
        const char *before;
        const char *part;
        const char *closing;
        size_t size;
    } rows[] = {
        {"a", ".a", "", 200000},          {"", "[].(", "", 200000},
        {"", "(a).(", "", 200000},        {"", "`${a}`", "", 200000},
        {"", "for(;f(", ");i++)", 60000}, {"", "\\'", "", 400000},
        {"", "\\\"", "", 400000},         {"`${", "\\'", "", 400000},
        {"", "=/[", "", 400000},          {"x='src=", "<script ", "'", 800000},
    };
    enum { TIMES = 40 };
    crawl_page *page = crawl_page_create();
    crawl_buf text = {0};
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPTS | CRAWL_LINK_SCRIPT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        crawl_buf_clear(&text);
        crawl_buf_printf(&text, "x='/a'+'b';%s", rows[i].before);
        append_until(&text, rows[i].part, rows[i].size);
        append_until(&text, rows[i].closing, 2 * rows[i].size);
        crawl_slice script = crawl_buf_slice(&text);
        for (int times = 0; times < TIMES; times++)
            cr_assert_eq(crawl_page_parse_as(page, CRAWL_DOCUMENT_SCRIPT, script, NULL, "utf-8"), CRAWL_OK);
    }
    crawl_buf_free(&text);
    crawl_page_free(page);
}

/* For any bytes, folding ends, and stays inside them. */
Test(script_fold, every_cut_of_a_script_ends)
{
    static const char text[] = "const {a,b:c}={a:'/x'};for(const [k,v] of Object.entries({p:'q'}))f(`/${k}${v+['a',1]."
                               "join('-')}`,x.concat('y'));for(let i=0;i<=2;++i)g[i].map(({s})=>'/'+s+i/2/'\\";
    for (size_t from = 0; from < sizeof text; from++)
        for (size_t size = 0; from + size < sizeof text; size += 3) {
            char *copy = malloc(size ? size : 1);
            size_t counts[2] = {0};
            memcpy(copy, text + from, size);
            cw_script_fold_to to = {counts, count_value};
            cr_expect_eq(cw_script_fold(crawl_slice_of(copy, size), &to), CRAWL_OK);
            free(copy);
        }
}
