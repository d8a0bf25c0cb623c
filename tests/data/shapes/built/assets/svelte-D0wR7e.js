var Wn=e=>{let t=document.createElement(`template`);return t.innerHTML=e,t.content},gr=Wn(`<a>i</a>`),_r=Wn(`<a href="/svelte/a">A</a> <a href="/svelte/b">B</a><!><button>c</button>`);
document.getElementById(`root`).append(_r,...[1,2].map(e=>{let t=gr.cloneNode(!0);return t.firstChild.href=`#`+e,t}));
