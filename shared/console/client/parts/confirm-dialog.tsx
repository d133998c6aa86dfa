import type { ComponentChildren } from 'preact';
import type { CommandWords } from '../data/commands/cli-commands.ts';
import { useAction } from '../data/use-action.ts';
import { ActionDialog } from './action-dialog.tsx';
import { announce } from './toasts.tsx';

/** Something that a user confirms before it is done. */
export interface ConfirmedAction {
  /** The word on the button that confirms. */
  readonly label: string;
  readonly question: string;
  /** The effect, and what stays as it is. */
  readonly children: ComponentChildren;
  readonly perform: () => Promise<void>;
  /** Message after success. */
  readonly done: string;
  readonly tone?: 'danger' | 'primary' | 'plain';
  /** The command that does the same; null for none. */
  readonly command?: CommandWords | null;
  /** The place to run the command; on the server by default. */
  readonly commandPlace?: string;
}

/** A dialog that does something when it is confirmed, and says what came of it. */
export function ConfirmDialog({ onClose, ...confirmed }: ConfirmedAction & { readonly onClose: () => void }) {
  const { label, question, children, perform, done, tone, command = null, commandPlace } = confirmed;
  const action = useAction(async () => {
    await perform();
    onClose();
    announce(done);
  });
  return (
    <ActionDialog
      title={question}
      action={action}
      label={label}
      tone={tone === 'danger' ? 'danger' : 'primary'}
      command={command}
      {...(commandPlace === undefined ? {} : { commandPlace })}
      onClose={onClose}
    >
      <div>{children}</div>
    </ActionDialog>
  );
}
