import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at the end. */
  readonly actions: ComponentChildren;
}

/** A modal dialog: it takes the focus, keeps it, gives it back, and closes with Escape. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect: the focus is back before the page answers the next key.
  useLayoutEffect(() => {
    const [dialog, before] = [element.current, document.activeElement];
    dialog?.showModal();
    return () => {
      // Nothing outside takes the focus as long as the dialog is open.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onCancel={cancel}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <div class="dialog-actions">{actions}</div>
    </dialog>
  );
}
