root.insertAdjacentHTML('beforeend', '<a href="/' + 'black' + '.html">black</a>');
