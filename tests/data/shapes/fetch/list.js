fetch('teas.json').then(answer => answer.json()).then(teas => {
  for (const tea of teas) {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = '/tea/' + tea.name + '.html';
    link.textContent = tea.name;
    item.append(link, ' from ' + tea.from);
    list.append(item);
  }
});
