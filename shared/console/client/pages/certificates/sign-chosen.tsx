import { useState } from 'preact/hooks';
import { signCommand } from '../../data/commands/cli-commands.ts';
import { type SignOutcome, signRequests } from '../../data/sign-requests.ts';
import { useAction } from '../../data/use-action.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Fingerprint } from './fingerprint.tsx';
import type { CertificateRow } from './waiting-panel.tsx';

interface SignChosenProps {
  readonly rows: readonly CertificateRow[];
  /** Gets what came of each. The list may be empty then, and this button gone. */
  readonly onSigned: (outcomes: readonly SignOutcome[]) => void;
}

/** A button that signs the chosen requests. */
export function SignChosen({ rows, onSigned }: SignChosenProps) {
  const [asked, setAsked] = useState<readonly CertificateRow[] | null>(null);
  return (
    <>
      <button type="button" class="button button-primary" disabled={rows.length === 0} onClick={() => setAsked(rows)}>
        {rows.length === 0 ? 'Sign the chosen' : `Sign ${printRequests(rows.length)}`}
      </button>
      {asked !== null && (
        <SignDialog
          rows={asked}
          onClose={() => setAsked(null)}
          onSigned={(found) => {
            setAsked(null);
            onSigned(found);
          }}
        />
      )}
    </>
  );
}

function printRequests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

interface SignDialogProps {
  readonly rows: readonly CertificateRow[];
  readonly onClose: () => void;
  readonly onSigned: (outcomes: readonly SignOutcome[]) => void;
}

function SignDialog({ rows, onClose, onSigned }: SignDialogProps) {
  const [done, setDone] = useState(0);
  const names = rows.map(({ name }) => name);
  const sign = useAction(async () => onSigned(await signRequests(names, setDone)));
  const command = signCommand(names, {
    hasOtherNames: rows.some(({ subject_alt_names = [] }) => subject_alt_names.length > 0),
    hasExtensions: rows.some(({ authorization_extensions = {} }) => Object.keys(authorization_extensions).length > 0),
  });
  return (
    <ActionDialog
      title={`Sign ${printRequests(rows.length)}?`}
      action={sign}
      label={sign.isRunning ? `${done} of ${rows.length}` : `Sign ${rows.length}`}
      command={command}
      onClose={() => (sign.isRunning ? undefined : onClose())}
    >
      <p>Each node gets a certificate, and with it its catalogs. Compare the fingerprints with those on the nodes.</p>
      <div class="chosen-requests">
        <DataTable label="Requests to sign" columns={REQUEST_COLUMNS} rows={rows} keyOf={({ name }) => name} />
      </div>
    </ActionDialog>
  );
}

const REQUEST_COLUMNS: readonly TableColumn<CertificateRow>[] = [
  { id: 'name', title: 'Certname', isWide: true, show: ({ name }) => name },
  {
    id: 'fingerprint',
    title: 'Fingerprint (SHA-256)',
    isWide: true,
    show: ({ fingerprint }) => <Fingerprint text={fingerprint} />,
  },
];

interface OutcomeDialogProps {
  readonly outcomes: readonly SignOutcome[];
  readonly onClose: () => void;
}

/** The outcome of each request that was signed together with others. */
export function OutcomeDialog({ outcomes, onClose }: OutcomeDialogProps) {
  const signed = outcomes.filter(({ state }) => state === 'signed').length;
  // Requests that need a second look come first.
  const rows = outcomes.toSorted((a, b) => Number(a.state === 'signed') - Number(b.state === 'signed'));
  return (
    <Dialog
      title={`${signed} of ${printRequests(outcomes.length)} signed`}
      onClose={onClose}
      actions={
        <button type="button" class="button button-primary" onClick={onClose}>
          Close
        </button>
      }
    >
      <div class="chosen-requests">
        <DataTable label="Outcomes" columns={OUTCOME_COLUMNS} rows={rows} keyOf={({ name }) => name} />
      </div>
    </Dialog>
  );
}

const OUTCOME_COLUMNS: readonly TableColumn<SignOutcome>[] = [
  { id: 'name', title: 'Certname', isWide: true, show: ({ name }) => name },
  { id: 'state', title: 'State', show: ({ state }) => <StateBadge state={state} /> },
  { id: 'reason', title: 'Why', isWide: true, show: ({ reason }) => reason ?? '' },
];
