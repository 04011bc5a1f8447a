import { render } from 'preact';
import { App } from './app.tsx';
import { startClock } from './now.ts';
import { nameTenantInLinks } from './parts/tenants.tsx';

const root = document.querySelector('#console');
if (root !== null) {
  nameTenantInLinks();
  startClock(() => !document.hidden);
  root.replaceChildren();
  render(<App />, root);
}
