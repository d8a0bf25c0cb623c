// Shared by the parts of the page: numbers in words, rows of tables, and text inserted only as text, because strangers name hosts, URLs and errors.

export const byId = (id) => document.getElementById(id);
export const put = (id, text) => { byId(id).textContent = text; };
export const whole = (value) => Math.round(value).toLocaleString("en");
export const pace = (value) => value < 10 ? value.toFixed(1) : whole(value);
export const percent = (share) => share > 0 && share < 0.001 ? "< 0.1%" : (share * 100).toFixed(1) + "%";
export const rate = (value) => String(Number(value.toPrecision(2)));

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < 4; unit++) value /= 1024;
  return (unit ? value.toFixed(1) : value) + " " + units[unit];
}

export function duration(s) {
  if (s > 0 && s < 1) return Math.max(1, Math.round(s * 1000)) + " ms";
  if (s < 60) return s.toFixed(s < 10 ? 1 : 0) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.floor(s / 60 % 60) + " min";
}

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// share: 0 to 1, a bar; undefined: none.
export function row(name, count, share, className) {
  const line = element("tr", className);
  line.append(element("td", "name", name), element("td", "count", count));
  if (share !== undefined) {
    const cell = element("td", "bar"), bar = element("div"), filled = element("div");
    filled.style.width = Math.min(100, share * 100) + "%";
    bar.append(filled);
    cell.append(bar);
    line.append(cell);
  }
  return line;
}

export const rows = (id, lines) => byId(id).replaceChildren(...lines);
export const none = (words) => { const line = element("tr", "none"); line.append(element("td", "", words)); return line; };
export const sum = (object) => Object.values(object).reduce((a, b) => a + b, 0);

export const time = (date) => new Date(date).toLocaleTimeString("en-GB");

export async function ask(path) {
  const answer = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(5000)});
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
