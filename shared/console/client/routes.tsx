import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { OverviewPage } from './pages/overview-page.tsx';
import { EmptyState } from './parts/answer-view.tsx';
import { PageHead } from './parts/panel.tsx';
import { Link } from './routing/link.tsx';
import { matchRoute, type RouteParameters } from './routing/match-route.ts';

interface Route {
  readonly pattern: string;
  readonly title: (parameters: RouteParameters) => string;
  readonly show: (parameters: RouteParameters) => JSX.Element;
}

const ROUTES: readonly Route[] = [{ pattern: '/', title: () => 'Overview', show: () => <OverviewPage /> }];

/** The page of a path. */
export function Routes({ path }: { readonly path: string }) {
  const found = findRoute(path);
  const title = found === null ? 'Not found' : found.route.title(found.parameters);
  useEffect(() => {
    document.title = `${title} · Understudy`;
  }, [title]);
  if (found === null) return <NoPage />;
  return found.route.show(found.parameters);
}

function findRoute(path: string): { readonly route: Route; readonly parameters: RouteParameters } | null {
  for (const route of ROUTES) {
    const parameters = matchRoute(route.pattern, path);
    if (parameters !== null) return { route, parameters };
  }
  return null;
}

function NoPage() {
  return (
    <>
      <PageHead title="Not found" />
      <EmptyState title="There is no such page.">
        <Link to="/">Go to the overview</Link>
      </EmptyState>
    </>
  );
}
