import { useState } from 'preact/hooks';
import { ConfirmDialog, type ConfirmedAction } from './confirm-dialog.tsx';

interface ConfirmButtonProps extends ConfirmedAction {
  /** Label for assistive technology, where several buttons have the same word. */
  readonly spoken?: string;
  readonly isSmall?: boolean;
}

/** A button that asks before it does something, and says what came of it. */
export function ConfirmButton({ spoken, isSmall, ...confirmed }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const tone = confirmed.tone === undefined || confirmed.tone === 'plain' ? '' : ` button-${confirmed.tone}`;
  return (
    <>
      <button
        type="button"
        class={`button${tone}${isSmall === true ? ' button-small' : ''}`}
        aria-label={spoken}
        onClick={() => setOpen(true)}
      >
        {confirmed.label}
      </button>
      {isOpen && <ConfirmDialog {...confirmed} onClose={() => setOpen(false)} />}
    </>
  );
}
