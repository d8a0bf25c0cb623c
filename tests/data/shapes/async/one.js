root.insertAdjacentHTML('beforeend', '<a href="/' + 'green' + '.html">green</a>');
