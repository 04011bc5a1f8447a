import { Page } from '../parts/page.tsx';
import { pageOf } from '../settings.ts';

export function MissingPage() {
  return (
    <Page title="There is no such page" name="No such page">
      <p>
        <a href={pageOf.overview}>Back to the overview</a>
      </p>
    </Page>
  );
}
