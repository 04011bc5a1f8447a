import { render } from 'preact';
import { App } from './app.tsx';
import { startClock } from './now.ts';

const root = document.querySelector('#console');
if (root !== null) {
  startClock(() => !document.hidden);
  root.replaceChildren();
  render(<App />, root);
}
