for (const tea of ['green', 'black'])
  document.write('<p><a href="' + tea + '.html">' + tea + '</a>');
