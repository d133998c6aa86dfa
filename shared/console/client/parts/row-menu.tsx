import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ConfirmDialog, type ConfirmedAction } from './confirm-dialog.tsx';

/** An entry of the menu: it asks first, or acts at once. */
export type RowAction = ConfirmedAction | { readonly label: string; readonly onChoose: () => void };

interface RowMenuProps {
  /** Name of the row, for assistive technology. */
  readonly of: string;
  readonly actions: readonly RowAction[];
}

interface Place {
  readonly top: number;
  readonly right: number;
}

/**
 * The actions of a row behind one button: the menu button of the ARIA practices. Arrows, Home and
 * End go through the entries; Escape and Tab close it, and Escape gives the focus back. Nothing
 * without actions.
 */
export function RowMenu({ of, actions }: RowMenuProps) {
  const [place, setPlace] = useState<Place | null>(null);
  const [asked, setAsked] = useState<ConfirmedAction | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => closeWhenMoved(place !== null, () => setPlace(null)), [place]);
  if (actions.length === 0) return null;
  const open = () => {
    const { bottom, right } = button.current?.getBoundingClientRect() ?? new DOMRect();
    setPlace({ top: bottom + 2, right: document.documentElement.clientWidth - right });
  };
  const close = () => {
    setPlace(null);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="row-menu-button"
        aria-label={`Actions of ${of}`}
        aria-haspopup="menu"
        aria-expanded={place !== null}
        aria-controls={place === null ? undefined : id}
        onClick={() => (place === null ? open() : close())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          open();
        }}
      >
        ⋯
      </button>
      {place !== null && (
        <Menu
          id={id}
          of={of}
          place={place}
          actions={actions}
          onClose={close}
          onLeave={() => setPlace(null)}
          onChoose={(action) => {
            close();
            if ('onChoose' in action) action.onChoose();
            else setAsked(action);
          }}
        />
      )}
      {asked !== null && <ConfirmDialog {...asked} onClose={() => setAsked(null)} />}
    </>
  );
}

/** A menu in the window's coordinates does not follow its row. */
function closeWhenMoved(isOpen: boolean, close: () => void): (() => void) | undefined {
  if (!isOpen) return undefined;
  window.addEventListener('scroll', close, { capture: true, passive: true });
  window.addEventListener('resize', close);
  return () => {
    window.removeEventListener('scroll', close, { capture: true });
    window.removeEventListener('resize', close);
  };
}

interface MenuProps extends RowMenuProps {
  readonly id: string;
  readonly place: Place;
  readonly onChoose: (action: RowAction) => void;
  readonly onClose: () => void;
  /** Called when the focus went elsewhere by itself. */
  readonly onLeave: () => void;
}

function Menu({ id, of, place, actions, onChoose, onClose, onLeave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const entries = () => [...(menu.current?.querySelectorAll('button') ?? [])];
  useLayoutEffect(() => {
    const [element] = [menu.current];
    if (element === null) return;
    element.style.top = `${Math.min(place.top, window.innerHeight - element.offsetHeight - 4)}px`;
    element.style.right = `${place.right}px`;
    element.querySelector('button')?.focus({ preventScroll: true });
  }, [place]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.findIndex((one) => one.matches(':focus'));
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) all[next]?.focus();
    else if (event.key === 'Escape') onClose();
    else if (event.key === 'Tab') return onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !menu.current?.contains(relatedTarget)) onLeave();
  };
  return (
    <div
      ref={menu}
      id={id}
      class="row-menu"
      role="menu"
      tabIndex={-1}
      aria-label={`Actions of ${of}`}
      onKeyDown={onKeyDown}
      onFocusOut={onFocusOut}
    >
      {actions.map((action) => (
        <button
          key={action.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={'tone' in action && action.tone === 'danger' ? 'is-danger' : undefined}
          onClick={() => onChoose(action)}
        >
          {action.label}
          {'question' in action && ' …'}
        </button>
      ))}
    </div>
  );
}
