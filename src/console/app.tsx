import { useState } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useKeys } from './keys.ts';
import { ApprovalsPage } from './pages/approvals.tsx';
import { BatchPage } from './pages/batch.tsx';
import { BatchesPage } from './pages/batches.tsx';
import { CostsPage } from './pages/costs.tsx';
import { HealthPage } from './pages/health.tsx';
import { JobPage } from './pages/job.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { MissingPage } from './pages/missing.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { Help } from './parts/help.tsx';
import { ConnectionLost, NoticeLine, showsJobs, TopBar } from './parts/shell.tsx';
import { NoSuchTenant, Tenants } from './parts/tenants.tsx';
import { BASE, pageOf } from './settings.ts';

/** The whole console: bar, page, what was said last. */
export function App() {
  return (
    <LocationProvider scope={BASE}>
      <Tenants>
        <Shell />
      </Tenants>
    </LocationProvider>
  );
}

/** Whoever does not see the page hears its beginning, and goes on from there. */
function focusPage(): void {
  document.querySelector('main')?.focus({ preventScroll: true });
}

function Shell() {
  const { path, route } = useLocation();
  const [help, setHelp] = useState(false);
  useKeys({
    '?': () => setHelp(true),
    'g o': () => route(pageOf.overview),
    'g j': () => route(pageOf.jobs),
    'g b': () => route(pageOf.batches),
    'g a': () => route(pageOf.approvals),
    'g c': () => route(pageOf.costs),
    'g h': () => route(pageOf.health),
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar onHelp={() => setHelp(true)} />
      <ConnectionLost />
      <Content path={path} />
      <NoticeLine />
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function Pages() {
  return (
    <Router onRouteChange={focusPage}>
      <Route path={BASE} component={OverviewPage} />
      <Route path={`${BASE}/jobs`} component={JobsPage} />
      <Route path={`${BASE}/jobs/:id`} component={JobPage} />
      <Route path={`${BASE}/batches`} component={BatchesPage} />
      <Route path={`${BASE}/batches/:id`} component={BatchPage} />
      <Route path={`${BASE}/approvals`} component={ApprovalsPage} />
      <Route path={`${BASE}/costs`} component={CostsPage} />
      <Route path={`${BASE}/health`} component={HealthPage} />
      <Route default component={MissingPage} />
    </Router>
  );
}

/** An address that cannot be decoded leads nowhere; the router would throw, and with it the whole console. */
function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function Content({ path }: { readonly path: string }) {
  if (!isReadable(path)) return <MissingPage />;
  return showsJobs() ? <Pages /> : <NoSuchTenant />;
}
