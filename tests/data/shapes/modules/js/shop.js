import {teas} from 'teas';
import {ready} from 'wait';

export function show(root) {
  root.innerHTML = ready ? teas.map(tea => '<a href="/' + tea + '.html">' + tea + '</a>').join(' ') : 'not ready';
}
