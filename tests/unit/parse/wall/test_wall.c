/* Which answers are walls, challenges and detours, by which sign; and pages that have something of one and are none. */
#include "base/bytes.h"

#include <crawl/wall.h>
#include <criterion/criterion.h>
#include <stdio.h>

#define ARTICLE_LINKS "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a>"
#define HTML "content-type: text/html; charset=utf-8\n"

typedef struct wall_case {
    int status;
    const char *headers; /* a line each */
    const char *body;
    const char *url; /* NULL: http://h/a/b */
} wall_case;

static crawl_wall judge_with(crawl_wall_judge *judge, const wall_case *given)
{
    enum { MOST = 16 };
    crawl_header headers[MOST];
    size_t count = 0;
    crawl_slice rest = crawl_slice_from(given->headers);
    while (rest.size && count < MOST) {
        crawl_slice line = cw_cut_line(&rest);
        crawl_slice name = cw_cut(&line, ':');
        headers[count++] = (crawl_header){.name = name, .value = cw_trim(line)};
    }
    const crawl_wall_answer answer = {
        .size = sizeof answer,
        .url = crawl_slice_from(given->url ? given->url : "http://h/a/b"),
        .status = given->status,
        .headers = headers,
        .header_count = count,
        .body = crawl_slice_from(given->body),
    };
    crawl_wall wall;
    cr_assert_eq(crawl_wall_judge_answer(judge, &answer, &wall), CRAWL_OK);
    return wall;
}

static crawl_wall judge_one(const wall_case *given)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    cr_assert(judge);
    crawl_wall wall = judge_with(judge, given);
    crawl_wall_judge_free(judge);
    return wall;
}

static const struct {
    const char *service;
    crawl_verdict verdict;
    wall_case answer;
} walls[] = {
    {"Cloudflare", CRAWL_VERDICT_CHALLENGE, {403, HTML "CF-Mitigated: challenge\n", "<p>" ARTICLE_LINKS, NULL}},
    {"Cloudflare", CRAWL_VERDICT_CHALLENGE, {200, HTML "cf-mitigated: challenge\n", "", NULL}},
    {"Cloudflare",
     CRAWL_VERDICT_CHALLENGE,
     {503, HTML, "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>", NULL}},
    {"Cloudflare",
     CRAWL_VERDICT_CHALLENGE,
     {200, HTML,
      "<title>Just a moment...</title><script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1'>"
      "</script><noscript>Enable JavaScript and cookies to continue</noscript>",
      NULL}},
    {"Cloudflare",
     CRAWL_VERDICT_WALL,
     {403, HTML, "<h1 data-translate=\"block_headline\">Sorry, you have been blocked</h1>" ARTICLE_LINKS, NULL}},
    {"Cloudflare", CRAWL_VERDICT_WALL, {403, "content-type: text/plain\n", "error code: 1020", NULL}},
    {"Akamai",
     CRAWL_VERDICT_WALL,
     {403, HTML "Server: AkamaiGHost\n",
      "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\nYou don't have permission to "
      "access \"http&#58;&#47;&#47;h&#47;\" on this server.<P>\nReference&#32;&#35;18&#46;2d351ab8&#46;1&#46;a\n</BODY>",
      NULL}},
    {"Akamai", CRAWL_VERDICT_CHALLENGE, {428, HTML, "<div id=\"sec-if-cpt-container\"></div>", NULL}},
    {"AWS WAF", CRAWL_VERDICT_CHALLENGE, {202, HTML "x-amzn-waf-action: challenge\n", "", NULL}},
    {"AWS WAF", CRAWL_VERDICT_CHALLENGE, {405, HTML "x-amzn-waf-action: captcha\n", "", NULL}},
    {"CloudFront",
     CRAWL_VERDICT_WALL,
     {403, HTML "X-Cache: Error from cloudfront\n",
      "<H1>403 ERROR</H1><H2>The request could not be satisfied.</H2>Request blocked.", NULL}},
    {"DataDome", CRAWL_VERDICT_CHALLENGE, {403, HTML "x-datadome: protected\nx-dd-b: 1\n", "", NULL}},
    {"DataDome",
     CRAWL_VERDICT_CHALLENGE,
     {403, HTML,
      "<script data-cfasync=\"false\">var dd={'rt':'c'}</script><script src=\"https://ct.captcha-delivery.com/c.js\">"
      "</script>",
      NULL}},
    {"HUMAN",
     CRAWL_VERDICT_CHALLENGE,
     {403, HTML,
      "<title>Access to this page has been denied</title><script>window._pxAppId='PX1';window._pxUuid='u'</script>",
      NULL}},
    {"HUMAN",
     CRAWL_VERDICT_CHALLENGE,
     {403, "content-type: application/json\n", "{\"appId\":\"PX1\",\"blockScript\":\"/b.js\",\"vid\":\"v\"}", NULL}},
    {"Imperva",
     CRAWL_VERDICT_WALL,
     {200, HTML "X-Iinfo: 1-2\n",
      "<iframe id=main-iframe src=\"/_Incapsula_Resource?CWUDNSAI=9&incident_id=1-2\">Request unsuccessful. Incapsula "
      "incident ID: 1-2</iframe>",
      NULL}},
    {"Imperva",
     CRAWL_VERDICT_WALL,
     {403, HTML "X-Iinfo: 1-2\n", "<iframe>Request unsuccessful. Incapsula incident ID: 1-2</iframe>", NULL}},
    {"Sucuri", CRAWL_VERDICT_WALL, {403, HTML "X-Sucuri-Block: 1\n", "", NULL}},
    {"Sucuri", CRAWL_VERDICT_CHALLENGE, {307, HTML, "<script>var sucuri_cloudproxy_js='';</script>", NULL}},
    {"Kasada", CRAWL_VERDICT_CHALLENGE, {429, HTML "x-kpsdk-ct: a\n", "<script>KPSDK.scriptStart=1</script>", NULL}},
    {"Anubis",
     CRAWL_VERDICT_CHALLENGE,
     {200, HTML,
      "<title>Making sure you&#39;re not a bot!</title><script id=\"anubis_challenge\" type=\"application/json\">{}"
      "</script><a href=/.within.website/>Techaro</a>",
      NULL}},
    {"Anubis", CRAWL_VERDICT_CHALLENGE, {307, "location: /.within.website/?redir=http://h/a\n", "", NULL}},
    {"Vercel", CRAWL_VERDICT_CHALLENGE, {429, HTML "x-vercel-mitigated: challenge\n", "", NULL}},
    {"Vercel", CRAWL_VERDICT_WALL, {403, HTML "x-vercel-mitigated: deny\n", "", NULL}},
    {"Fastly",
     CRAWL_VERDICT_CHALLENGE,
     {200, HTML, "<title>Client Challenge</title><script src=/_fs-ch-1/script.js></script>", NULL}},
    {"F5",
     CRAWL_VERDICT_WALL,
     {200, HTML,
      "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with "
      "your administrator.<br><br>Your support ID is: 1<br><br><a href='javascript:history.back();'>[Go Back]</a>",
      NULL}},
    {"F5", CRAWL_VERDICT_CHALLENGE, {200, HTML, "<script src=\"/TSPD/08a?type=1\"></script>", NULL}},
    {"Azure", CRAWL_VERDICT_WALL, {403, HTML "x-azure-ref: 1\n", "<h2>The request is blocked.</h2>", NULL}},
    {"Azure",
     CRAWL_VERDICT_WALL,
     {403, HTML,
      "<head><title>403 Forbidden</title></head><h1>403 Forbidden</h1><hr>Microsoft-Azure-Application-Gateway/v2",
      NULL}},
    {"DDoS-Guard", CRAWL_VERDICT_CHALLENGE, {403, HTML "server: ddos-guard\n", "<title>DDOS-GUARD</title>", NULL}},
    {"Wordfence", CRAWL_VERDICT_WALL, {503, HTML, "<p>Generated by Wordfence at Fri</p>", NULL}},
    {"ModSecurity",
     CRAWL_VERDICT_WALL,
     {406, HTML, "<h1>Not Acceptable!</h1><p>This error was generated by Mod_Security.</p>", NULL}},
    {"SiteGround",
     CRAWL_VERDICT_CHALLENGE,
     {202, HTML, "<meta http-equiv=\"refresh\" content=\"0;/.well-known/sgcaptcha/?r=%2F\">", NULL}},
    {"Reblaze", CRAWL_VERDICT_CHALLENGE, {247, HTML "set-cookie: rbzid=1\n", "<script>1</script>", NULL}},
    {"Google", CRAWL_VERDICT_WALL, {302, "location: https://www.google.com/sorry/index?continue=x\n", "", NULL}},
    {"LinkedIn", CRAWL_VERDICT_WALL, {999, HTML, "", "https://www.linkedin.com/in/x"}},
    {"Reddit", CRAWL_VERDICT_WALL, {403, HTML, "<p>You've been blocked by network security.</p>", NULL}},
    {"hCaptcha",
     CRAWL_VERDICT_CHALLENGE,
     {403, HTML, "<form><script src=https://js.hcaptcha.com/1/api.js></script>Are you human?</form>", NULL}},
    {"suspended", CRAWL_VERDICT_PARKED, {200, HTML, "<title>Account Suspended</title>", "http://h/"}},
    {"default page",
     CRAWL_VERDICT_PARKED,
     {200, HTML, "<title>Welcome to nginx!</title><a href=//nginx.org/>n</a>", "http://h"}},
    {"parked", CRAWL_VERDICT_PARKED, {200, HTML, "<script>window.location.href=\"/lander\"</script>", NULL}},
    {"parked", CRAWL_VERDICT_PARKED, {200, HTML, "<html data-adblockkey=\"M\"><body></body>", NULL}},
    {"HugeDomains",
     CRAWL_VERDICT_PARKED,
     {302, "location: https://www.hugedomains.com/domain_profile.cfm?d=h\n", "", NULL}},
    {"", CRAWL_VERDICT_LOGIN, {302, "location: /user/login?next=%2Fa%2Fb\n", "", NULL}},
    {"", CRAWL_VERDICT_LOGIN, {302, "location: https://accounts.x.example/o?continue=http://h/a\n", "", NULL}},
    {"", CRAWL_VERDICT_CONSENT, {302, "location: https://consent.x.example/m?continue=http://h/a\n", "", NULL}},
    {"", CRAWL_VERDICT_RATE_LIMITED, {429, HTML, "slow down", NULL}},
    {"", CRAWL_VERDICT_RATE_LIMITED, {503, HTML "Retry-After: 9\n", "", NULL}},
};

Test(wall, is_told_by_its_service)
{
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        crawl_wall wall = judge_one(&walls[i].answer);
        cr_expect_eq(wall.verdict, walls[i].verdict, "row %zu, %s: %s by %s", i, walls[i].service,
                     crawl_verdict_name(wall.verdict), wall.sign);
        cr_expect_str_eq(wall.service, walls[i].service, "row %zu: %s", i, wall.service);
        cr_expect_neq(wall.sign[0], 0, "row %zu has no sign", i);
    }
}

/* Ordinary answers that have something of a wall. */
static const wall_case traps[] = {
    {200, HTML "server: cloudflare\ncf-ray: 1\nset-cookie: __cf_bm=1\n",
     "<title>Shop</title><script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script><p>Hello", NULL},
    {200, HTML, "<title>Just a moment... what it means</title><p>_cf_chl_opt", NULL},
    {200, HTML, "<title>Contact</title><form><div class=cf-turnstile></div></form>", NULL},
    {403, HTML, "<title>403 Forbidden</title><h1>403 Forbidden</h1><hr><center>nginx</center>", NULL},
    {403, HTML "server: AkamaiGHost\n", "<title>Forbidden</title><p>no", NULL},
    {403, "content-type: application/xml\n", "<Error><Code>AccessDenied</Code></Error>", NULL},
    {200, HTML "set-cookie: datadome=1\nx-datadome-cid: 1\n",
     "<script src=https://js.datadome.co/tags.js></script><p>Hi", NULL},
    {200, HTML "x-iinfo: 1\nset-cookie: visid_incap_1=1\n",
     "<script src=\"/_Incapsula_Resource?SWJIYLWA=1\"></script><p>Hi", NULL},
    {200, HTML "x-sucuri-id: 1\nx-sucuri-cache: HIT\n", "<p>Hi", NULL},
    {200, HTML "set-cookie: techaro.lol-anubis-auth=1\n", "<p>Hi", NULL},
    {200, HTML, "<title>On walls</title><pre>&lt;script id=\"anubis_challenge\"&gt;</pre>", NULL},
    {200, HTML, "<title>Making sure you're not a bot!</title><p>An article of few words.", NULL},
    {200, HTML "set-cookie: TS01abc=1\n", "<script src=/TSPD/1></script><p>The page itself.", NULL},
    {200, HTML "x-azure-ref: 1\n", "<p>Hi", NULL},
    {200, HTML "server: ddos-guard\nset-cookie: __ddg1_=1\n", "<p>Hi", NULL},
    {200, HTML, "<form><script src=https://js.hcaptcha.com/1/api.js></script>Write to us</form>", NULL},
    {200, HTML, "<title>Welcome to nginx!</title>", "http://h/docs/nginx"},
    {200, HTML, "<title>Client Challenge</title><p>A novel", NULL},
    {503, HTML, "<title>503</title><h1>Guru Meditation</h1>", NULL},
    {520, HTML "server: cloudflare\n", "<title>h | 520: Web server is returning an unknown error</title>", NULL},
    {999, HTML, "", NULL},
    {200, HTML, "<p>The host img1.wsimg.com/parking-lander shows ads, says sedoparking.com", NULL},
    {200, HTML, "<title>Request Rejected</title>The requested URL was rejected. support ID" ARTICLE_LINKS, NULL},
    {302, "location: /login\n", "", NULL},
    {302, "location: /login?next=/b\n", "", "http://h/user/login"},
    {302, "location: /b?next=/c\n", "", NULL},
    {301, "location: https://h/account/\n", "", NULL},
    {404, HTML, "<title>Not found</title>", NULL},
    {200, "content-type: text/plain\n", "error code: 1020", NULL},
};

Test(wall, is_no_page_with_something_of_one)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    cr_assert(judge);
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        crawl_wall wall = judge_with(judge, &traps[i]);
        cr_expect_eq(wall.verdict, CRAWL_VERDICT_CONTENT, "trap %zu: %s, %s by %s", i, crawl_verdict_name(wall.verdict),
                     wall.service, wall.sign);
    }
    crawl_wall_judge_free(judge);
}

/* A page that says much, or that leads on, is none for its words. */
Test(wall, says_little)
{
    crawl_buf body = {0};
    cr_assert(!crawl_buf_append_text(&body, "<title>Access Denied</title><p>Reference #18.1 "));
    for (int i = 0; i < 300; i++)
        cr_assert(!crawl_buf_append_text(&body, "A long tale. "));
    const wall_case given = {403, HTML "server: AkamaiGHost\n", body.data, NULL};
    cr_expect_eq(judge_one(&given).verdict, CRAWL_VERDICT_CONTENT);
    crawl_buf_free(&body);
}

/* Of a good answer nothing behind 2,000 bytes of text, or five links, is looked at: elements and scripts neither. */
Test(wall, is_no_good_answer_that_says_much_or_leads_on)
{
    static const char sign[] = "<script id=\"anubis_challenge\">{}</script>";
    crawl_buf body = {0};
    for (int i = 0; i < 300; i++)
        cr_assert(!crawl_buf_append_text(&body, "A long tale. "));
    cr_assert(!crawl_buf_append_text(&body, sign));
    cr_expect_eq(judge_one(&(wall_case){200, HTML, body.data, NULL}).verdict, CRAWL_VERDICT_CONTENT);
    cr_expect_eq(judge_one(&(wall_case){403, HTML, body.data, NULL}).verdict, CRAWL_VERDICT_CHALLENGE);
    crawl_buf_clear(&body);
    for (int i = 0; i < 6; i++)
        cr_assert(!crawl_buf_append_text(&body, "<a href=#a>a</a>"));
    cr_assert(!crawl_buf_append_text(&body, sign));
    cr_expect_eq(judge_one(&(wall_case){200, HTML, body.data, NULL}).verdict, CRAWL_VERDICT_CONTENT);
    crawl_buf_free(&body);
}

Test(wall, names_its_sign)
{
    crawl_wall by_header = judge_one(&walls[0].answer);
    cr_expect_str_eq(by_header.sign, "header cf-mitigated: challenge");
    crawl_wall by_title = judge_one(&walls[2].answer);
    cr_expect_str_eq(by_title.sign, "title Just a moment...");
}

Test(wall, wants_the_size_of_its_struct)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    crawl_wall wall;
    cr_expect_eq(crawl_wall_judge_answer(judge, &(crawl_wall_answer){.size = 0}, &wall), CRAWL_EINVAL);
    crawl_wall_judge_free(judge);
}

/* ---- pages told by their words and their form ---- */

static crawl_verdict by_title(const char *title, const char *body, const char *url)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    crawl_wall wall;
    const crawl_header header = {.name = crawl_slice_from("content-type"), .value = crawl_slice_from("text/html")};
    const crawl_wall_answer answer = {
        .size = sizeof answer,
        .url = crawl_slice_from(url),
        .status = 200,
        .headers = &header,
        .header_count = 1,
        .body = crawl_slice_from(body),
    };
    cr_assert_eq(crawl_wall_judge_title(judge, &answer, crawl_slice_from(title), &wall), CRAWL_OK);
    crawl_wall_judge_free(judge);
    return wall.verdict;
}

Test(wall, a_title_alone_says_that_a_page_is_not_there)
{
    static const char *const missing[] = {"404 - Not Found",
                                          "404 Not Found",
                                          "Page not found - Shop",
                                          "PAGE NOT FOUND | Shop",
                                          "Seite nicht gefunden \xe2\x80\x93 Laden",
                                          "P\xc3\xa1gina no encontrada",
                                          "\xe9\xa1\xb5\xe9\x9d\xa2\xe6\x9c\xaa\xe6\x89\xbe\xe5\x88\xb0"};
    static const char *const pages[] = {
        "How to make a 404 page",   "Error 404: a film", "Not found in nature", "Shop - 404 Main Street", "404",
        "Lost and not found - Shop"};
    const char *body = "<title>x</title>" ARTICLE_LINKS "<p>Sorry, that page is gone.";
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        cr_expect_eq(by_title(missing[i], body, "http://h/a"), CRAWL_VERDICT_SOFT_404, "%s", missing[i]);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect_eq(by_title(pages[i], body, "http://h/a"), CRAWL_VERDICT_CONTENT, "%s", pages[i]);
    cr_expect_eq(by_title("404 Not Found", body, "http://h/"), CRAWL_VERDICT_CONTENT, "never the home page");
    char article[4096] = "<p>";
    for (size_t size = 3; size + 7 < sizeof article; size += 6)
        memcpy(article + size, "words ", 7);
    cr_expect_eq(by_title("404 Not Found", article, "http://h/a"), CRAWL_VERDICT_CONTENT, "it says much");
}

Test(wall, a_page_that_is_a_login_or_a_consent)
{
    static const struct {
        crawl_verdict verdict;
        wall_case answer;
    } forms[] = {
        {CRAWL_VERDICT_LOGIN, {200, HTML, "<form><input name=u><input type=password name=p></form>Sign in", NULL}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<form><input type=password name=p></form>Sign in", "http://h/user/login"}},
        {CRAWL_VERDICT_CONTENT,
         {200, HTML, "<form><input type=password name=p><input type=password name=q></form>Join", NULL}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<form><input type=password name=p></form>" ARTICLE_LINKS, NULL}}, /* in the
                                                                                                                  head
                                                                                                                  of a
                                                                                                                  page
                                                                                                                */
        {CRAWL_VERDICT_CONTENT, {401, HTML, "<form><input type=password name=p></form>", NULL}},
        {CRAWL_VERDICT_CONSENT,
         {200, HTML, "<form action=/save><button>Agree</button></form>", "https://consent.h.example/m?continue=%2Fa"}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<p>Our consent policy", "https://consent.h.example/m?continue=%2Fa"}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<form><button>Agree</button></form>", "https://h.example/a"}},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        cr_expect_eq(judge_one(&forms[i].answer).verdict, forms[i].verdict, "%zu", i);
}
