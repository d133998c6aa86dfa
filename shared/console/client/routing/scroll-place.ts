/** Pause after the last scrolling before the place is kept: browsers limit how often it may be. */
const PAUSE_MS = 150;
/** Time in which a page may become as tall as it was, while its answers come. */
const RESTORE_MS = 3_000;
/** Input by which a reader takes over. */
const TAKES_OVER = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

let timer = 0;
let stopRestoring = () => {};

/**
 * Keeps the place in the page with each entry of the history, so that Back returns to it. Browsers
 * do so only for pages that have their height at once.
 */
export function keepScrollPlace(): void {
  window.history.scrollRestoration = 'manual';
  window.addEventListener('scroll', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(notePlace, PAUSE_MS);
  });
  window.addEventListener('popstate', ({ state }) => restorePlace(readPlace(state)));
  restorePlace(readPlace(window.history.state));
}

/** Keeps the present place; call it before the page moves on. */
export function notePlace(): void {
  window.clearTimeout(timer);
  stopRestoring();
  if (readPlace(window.history.state) !== window.scrollY) window.history.replaceState({ y: window.scrollY }, '');
}

function readPlace(state: unknown): number {
  const y: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'y') : 0;
  return typeof y === 'number' ? y : 0;
}

/** Scrolls to a place, again whenever the page grows, until it is reached or the reader scrolls. */
function restorePlace(y: number): void {
  stopRestoring();
  window.clearTimeout(timer);
  const scroll = () => {
    window.scrollTo(0, y);
    if (Math.abs(window.scrollY - y) < 2) stop();
  };
  const observer = new ResizeObserver(scroll);
  const late = window.setTimeout(() => stop(), RESTORE_MS);
  const stop = () => {
    observer.disconnect();
    window.clearTimeout(late);
    for (const name of TAKES_OVER) window.removeEventListener(name, stop);
    stopRestoring = () => {};
  };
  stopRestoring = stop;
  for (const name of TAKES_OVER) window.addEventListener(name, stop, { passive: true });
  observer.observe(document.body);
}
