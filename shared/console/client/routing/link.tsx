import type { ComponentChildren } from 'preact';
import { CONSOLE_BASE, navigate } from './location.ts';

interface LinkProps {
  /** A path below the console. */
  readonly to: string;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  readonly 'aria-current'?: 'page' | undefined;
  /** Label for assistive technology, where several links have the same word. */
  readonly 'aria-label'?: string | undefined;
  /** -1: the keyboard passes it, because another link leads there, too. */
  readonly tabIndex?: -1 | undefined;
  /** Called when the page has moved on. */
  readonly onFollow?: (() => void) | undefined;
  readonly style?: Readonly<Record<string, string>> | undefined;
  readonly children?: ComponentChildren;
}

/** A link to another page of the console. With a modifier key it is the browser's. */
export function Link({ to, children, onFollow, ...others }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
    onFollow?.();
  };
  return (
    <a {...others} href={`${CONSOLE_BASE}${to}`} onClick={follow}>
      {children}
    </a>
  );
}
