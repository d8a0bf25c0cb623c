export function fill(root) {
  for (const tea of ['green', 'black']) {
    const link = Object.assign(document.createElement('a'), {href: tea + '.html', textContent: tea});
    root.append(link, ' ');
  }
}
