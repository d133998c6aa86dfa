import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { type ParameterChanges, withParameters } from './parameters.ts';
import { notePlace } from './scroll-place.ts';

/** All pages are below this path. */
export const CONSOLE_BASE = '/console';

/** The address of the page: a path below the base, from `/`, and the parameters. */
interface PageLocation {
  readonly path: string;
  readonly query: URLSearchParams;
}

const MOVED = 'console-moved';

function readLocation(): PageLocation {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(CONSOLE_BASE) ? pathname.slice(CONSOLE_BASE.length) : pathname;
  return { path: path === '' ? '/' : path, query: new URLSearchParams(search) };
}

/** Goes to a path below the base, with its parameters. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = `${CONSOLE_BASE}${to}`;
  if (address === `${window.location.pathname}${window.location.search}`) return;
  const isOtherPage = new URL(address, window.location.href).pathname !== window.location.pathname;
  if (replace) window.history.replaceState(window.history.state, '', address);
  else {
    notePlace();
    window.history.pushState(null, '', address);
  }
  window.dispatchEvent(new Event(MOVED));
  if (isOtherPage) window.scrollTo(0, 0);
}

/** The present location; the component renders again when it changes. */
export function usePageLocation(): PageLocation {
  const [location, setLocation] = useState(readLocation);
  // At once: the page may move on before the browser has painted.
  useLayoutEffect(() => {
    const update = () => setLocation(readLocation());
    window.addEventListener('popstate', update);
    window.addEventListener(MOVED, update);
    return () => {
      window.removeEventListener('popstate', update);
      window.removeEventListener(MOVED, update);
    };
  }, []);
  return location;
}

/**
 * Changes parameters of the address. Without a page among them, a list begins anew. Back returns to
 * the ones before, unless they are replaced, as while somebody types.
 */
export type SetParameters = (changes: ParameterChanges, how?: { readonly replace?: boolean }) => void;

/** The parameters of the address, and how to change them. */
export function useParameters(): readonly [URLSearchParams, SetParameters] {
  const { path, query } = usePageLocation();
  const change = useCallback<SetParameters>(
    (changes, how) => {
      const now = readLocation();
      // Text that was typed on a page is of no use on the next one.
      if (now.path === path) navigate(withParameters(path, now.query, changes), how);
    },
    [path],
  );
  return [query, change];
}
