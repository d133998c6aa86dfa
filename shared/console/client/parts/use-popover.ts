import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** Something that a button opens over the page. */
interface Popover {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  /** For the button that opens it. */
  readonly button: RefObject<HTMLButtonElement | null>;
  /** For the element that holds what it shows. */
  readonly handlers: {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onFocusOut: (event: FocusEvent) => void;
  };
}

/**
 * Opens and closes something over the page. It closes with Escape, which gives the focus back to
 * the button, and when the focus goes on to what it covers.
 */
export function usePopover(): Popover {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  const onFocusOut = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node) || relatedTarget === button.current) return;
    if (!(currentTarget instanceof Node && currentTarget.contains(relatedTarget))) setOpen(false);
  };
  return { isOpen, setOpen, button, handlers: { onKeyDown, onFocusOut } };
}
