import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CommandWords } from '../data/cli-commands.ts';
import { useAction } from '../data/use-action.ts';
import { ActionDialog } from './action-dialog.tsx';
import { announce } from './toasts.tsx';

interface ConfirmButtonProps {
  /** The word on the button and on the button that confirms. */
  readonly label: string;
  /** Label for assistive technology, where several buttons have the same word. */
  readonly spoken?: string;
  readonly question: string;
  readonly children: ComponentChildren;
  readonly perform: () => Promise<void>;
  /** Message after success. */
  readonly done: string;
  readonly tone?: 'danger' | 'primary' | 'plain';
  readonly isSmall?: boolean;
  /** The command that does the same; null for none. */
  readonly command?: CommandWords | null;
  /** The place to run the command; on the server by default. */
  readonly commandPlace?: string;
}

/** A button that asks before it does something, and says what came of it. */
export function ConfirmButton({ label, question, children, perform, done, ...look }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async () => {
    await perform();
    setOpen(false);
    announce(done);
  });
  const tone = look.tone === undefined || look.tone === 'plain' ? '' : ` button-${look.tone}`;
  return (
    <>
      <button
        type="button"
        class={`button${tone}${look.isSmall === true ? ' button-small' : ''}`}
        aria-label={look.spoken}
        onClick={() => {
          action.clear();
          setOpen(true);
        }}
      >
        {label}
      </button>
      {isOpen && (
        <ActionDialog
          title={question}
          action={action}
          label={label}
          tone={look.tone === 'danger' ? 'danger' : 'primary'}
          command={look.command ?? null}
          {...(look.commandPlace === undefined ? {} : { commandPlace: look.commandPlace })}
          onClose={() => setOpen(false)}
        >
          <div>{children}</div>
        </ActionDialog>
      )}
    </>
  );
}
