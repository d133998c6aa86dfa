import { useParameters } from '../routing/location.ts';
import { FIRST_PAGE, type ParameterChanges } from '../routing/parameters.ts';

interface CursorPagerProps {
  readonly isFirst: boolean;
  /** The parameters of the next page; null for none. */
  readonly next: ParameterChanges | null;
  /** Labels of the links to the first page and to the next one. */
  readonly words?: readonly [first: string, next: string];
  readonly isInPanel?: boolean;
}

/**
 * Leads to the first page and to the next one of a list that goes on by cursors. A button that
 * leads nowhere may have the focus: it kept it when it led to the last page.
 */
export function CursorPager({ isFirst, next, words = ['Newest', 'Older'], isInPanel = false }: CursorPagerProps) {
  const [, setParameters] = useParameters();
  if (isFirst && next === null) return null;
  return (
    <nav class={isInPanel ? 'pager panel-pager' : 'pager'} aria-label="Pages">
      <button
        type="button"
        class="button"
        aria-disabled={isFirst}
        onClick={() => !isFirst && setParameters(FIRST_PAGE)}
      >
        {words[0]}
      </button>
      <button
        type="button"
        class="button"
        aria-disabled={next === null}
        onClick={() => next !== null && setParameters(next)}
      >
        {words[1]}
      </button>
    </nav>
  );
}
