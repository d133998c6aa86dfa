import type { ComponentChildren } from 'preact';
import type { Action } from '../data/use-action.ts';
import { Dialog } from './dialog.tsx';

interface ActionDialogProps {
  readonly title: string;
  readonly action: Action<undefined>;
  /** The word on the button that starts the action. */
  readonly label: string;
  /** The word on the button that leaves everything as it is. */
  readonly cancel?: string;
  readonly tone?: 'danger' | 'primary';
  /** Whether input that the action needs is still missing; the button is disabled then. */
  readonly isIncomplete?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that starts `action` and shows why it failed. On success, `action` itself closes it. */
export function ActionDialog({ title, action, label, onClose, children, ...more }: ActionDialogProps) {
  const { cancel = 'Cancel', tone = 'primary', isIncomplete = false } = more;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            {cancel}
          </button>
          <button
            type="button"
            class={`button button-${tone}`}
            disabled={isIncomplete}
            aria-disabled={action.isRunning}
            onClick={() => action.run(undefined)}
          >
            {label}
          </button>
        </>
      }
    >
      {action.fault !== null && (
        <p class="notice notice-bad" role="alert">
          {action.fault.message}
        </p>
      )}
      {children}
    </Dialog>
  );
}
