import type { ComponentChildren } from 'preact';
import type { CommandWords } from '../data/commands/cli-commands.ts';
import type { Action } from '../data/use-action.ts';
import { CommandLine } from './command-line.tsx';
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
  /** The command that does the same; null for none. */
  readonly command?: CommandWords | null;
  /** The place to run the command; on the server by default. */
  readonly commandPlace?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that starts `action` and shows why it failed. On success, `action` itself closes it. */
export function ActionDialog({ title, action, label, onClose, children, ...more }: ActionDialogProps) {
  const { cancel = 'Cancel', tone = 'primary', isIncomplete = false, command = null, commandPlace } = more;
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
      <CommandLine words={command} {...(commandPlace === undefined ? {} : { place: commandPlace })} />
    </Dialog>
  );
}
