import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePageLocation } from './location.ts';

const CONTROLS = 'a[href], button, input, select, textarea';

/**
 * Keeps the focus in the page: after a menu entry, it goes to the heading of the new page; when the
 * element that has it vanishes, as a deleted row does, to what is nearest to it. Otherwise it would
 * be at the beginning of the document, where nobody looks for it.
 */
export function useKeptFocus(): { readonly current: HTMLElement | null } {
  const content = useRef<HTMLElement>(null);
  const { path } = usePageLocation();
  const shown = useRef(path);
  useLayoutEffect(() => {
    const main = content.current;
    if (shown.current === path || main === null) return;
    shown.current = path;
    if (!main.contains(document.activeElement)) focusHeading(main);
  }, [path]);
  useLayoutEffect(() => (content.current === null ? undefined : watchFocus(content.current)), []);
  return content;
}

function watchFocus(main: HTMLElement): () => void {
  /** The element that had the focus last, and those around it, from the inside out. */
  let around: readonly Element[] = [];
  const note = ({ target }: FocusEvent) => {
    around = target instanceof Element ? listAround(target, main) : [];
  };
  const mend = () => {
    const [element] = around;
    if (element === undefined || element.isConnected || document.activeElement !== document.body) return;
    const rest = around.find((one) => one.isConnected);
    const nearest = rest?.closest('[tabindex="0"]') ?? rest?.closest('form .form')?.querySelector(CONTROLS);
    if (nearest instanceof HTMLElement) nearest.focus();
    else focusHeading(main);
  };
  const observer = new MutationObserver(mend);
  main.addEventListener('focusin', note);
  observer.observe(main, { childList: true, subtree: true });
  return () => {
    main.removeEventListener('focusin', note);
    observer.disconnect();
  };
}

function listAround(element: Element, main: Element): readonly Element[] {
  const found: Element[] = [];
  for (let one: Element | null = element; one !== null && one !== main; one = one.parentElement) found.push(one);
  return found;
}

/** Gives the heading of the page the focus: it is read aloud, and the next key continues there. */
function focusHeading(main: HTMLElement): void {
  const heading = main.querySelector('h1') ?? main;
  heading.tabIndex = -1;
  // The place in the page is kept elsewhere: see `keepScrollPlace`.
  heading.focus({ preventScroll: true });
}
