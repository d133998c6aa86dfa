import { useState } from 'preact/hooks';
import type { ApiSchema } from '../../../../api/described-answers.ts';
import { callApi } from '../../data/api-client.ts';
import { signCommand } from '../../data/commands/cli-commands.ts';
import { usePermission } from '../../data/session.ts';
import { type SignOutcome, signRequest } from '../../data/sign-requests.ts';
import type { AnswerState } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { Certname } from '../../parts/certname.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { showCut } from '../../parts/show-cut.tsx';
import { useParameters } from '../../routing/location.ts';
import { Fingerprint, ShortFingerprint } from './fingerprint.tsx';
import { OutcomeDialog, SignChosen } from './sign-chosen.tsx';

type CertificatePage = ApiSchema<'CertificatePage'>;
export type CertificateRow = CertificatePage['certificates'][number];

/** The requests, with a filter and a choice of those to sign together. */
export function WaitingPanel({ answer }: { readonly answer: AnswerState<CertificatePage> }) {
  // The outcomes stay when no request is left.
  const [outcomes, setOutcomes] = useState<readonly SignOutcome[] | null>(null);
  const onSigned = (found: readonly SignOutcome[]) => {
    setOutcomes(found);
    answer.reload();
  };
  return (
    <Panel
      title="Waiting requests"
      actions={answer.data !== null && <span class="muted">{printCount(answer.data)}</span>}
    >
      <AnswerView answer={answer} what="the requests" lines={6}>
        {({ certificates, isElsewhere }) =>
          certificates.length === 0 ? (
            <EmptyState title={isElsewhere ? 'Another server signs the certificates.' : 'No request waits.'}>
              {isElsewhere ? (
                'Requests are passed on to it.'
              ) : (
                <>
                  A new agent sends one at its first run: <code>puppet agent --test --waitforcert 60</code>
                </>
              )}
            </EmptyState>
          ) : (
            <Requests requests={certificates} onDone={answer.reload} onSigned={onSigned} />
          )
        }
      </AnswerView>
      {outcomes !== null && <OutcomeDialog outcomes={outcomes} onClose={() => setOutcomes(null)} />}
    </Panel>
  );
}

function printCount({ certificates, next }: CertificatePage): string {
  return next === null ? String(certificates.length) : `${certificates.length} +`;
}

interface RequestsProps {
  readonly requests: readonly CertificateRow[];
  readonly onDone: () => void;
  readonly onSigned: (outcomes: readonly SignOutcome[]) => void;
}

function Requests({ requests, onDone, onSigned }: RequestsProps) {
  const [query] = useParameters();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const maySign = usePermission('cert_requests', 'accept_reject');
  const wanted = (query.get('find') ?? '').toLowerCase();
  const shown = requests.filter(({ name }) => name.toLowerCase().includes(wanted));
  // A request that is gone, or that the filter hides, is not signed.
  const toSign = shown.filter(({ name }) => chosen.has(name));
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  const columns: readonly TableColumn<CertificateRow>[] = [
    ...COLUMNS,
    { id: 'actions', title: 'Actions', show: (row) => <RequestActions row={row} onDone={onDone} /> },
  ];
  return (
    <>
      <div class="filters">
        <SearchBox label="Certname contains" name="find" placeholder="web" />
        {maySign && (
          <>
            <button
              type="button"
              class="button"
              onClick={() => setChosen(toSign.length === shown.length ? new Set() : new Set(shown.map(nameOf)))}
            >
              {toSign.length === shown.length && shown.length > 0
                ? 'Choose none'
                : `Choose all ${shown.length.toLocaleString('en')}`}
            </button>
            <SignChosen rows={toSign} onSigned={onSigned} />
          </>
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No request matches." />
      ) : (
        <DataTable
          label="Certificate requests"
          columns={columns}
          rows={shown}
          keyOf={nameOf}
          {...(maySign ? { selection: { chosen, onToggle: toggle } } : {})}
        />
      )}
    </>
  );
}

const nameOf = ({ name }: CertificateRow): string => name;

const COLUMNS: readonly TableColumn<CertificateRow>[] = [
  { id: 'name', title: 'Certname', isWide: true, show: ({ name }) => <Certname name={name} /> },
  {
    id: 'fingerprint',
    title: 'Fingerprint (SHA-256)',
    show: ({ name, fingerprint }) => <ShortFingerprint text={fingerprint} of={name} />,
  },
  { id: 'alt', title: 'Other names', show: (row) => showCut(printOtherNames(row)) },
  { id: 'extensions', title: 'Extensions', show: (row) => showCut(printExtensions(row)) },
];

function printOtherNames({ subject_alt_names = [] }: CertificateRow): string {
  return subject_alt_names.join(', ');
}

function printExtensions({ authorization_extensions = {} }: CertificateRow): string {
  return Object.entries(authorization_extensions)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}

function RequestActions({ row, onDone }: { readonly row: CertificateRow; readonly onDone: () => void }) {
  if (!usePermission('cert_requests', 'accept_reject')) return null;
  const hasOtherNames = printOtherNames(row) !== '';
  const hasExtensions = printExtensions(row) !== '';
  return (
    <div class="actions">
      <ConfirmButton
        label="Sign"
        spoken={`Sign ${row.name}`}
        question={`Sign the request of ${row.name}?`}
        done={`${row.name} has its certificate.`}
        tone="primary"
        command={signCommand([row.name], { hasOtherNames, hasExtensions })}
        perform={async () => {
          await signRequest(row.name);
          onDone();
        }}
        isSmall
      >
        <p>The node gets a certificate, and with it its catalogs. Compare the fingerprint with that on the node:</p>
        <Fingerprint text={row.fingerprint} />
        {hasOtherNames && <p>It has other names: {printOtherNames(row)}</p>}
        {hasExtensions && <p>It has extensions: {printExtensions(row)}</p>}
      </ConfirmButton>
      <RowMenu of={row.name} actions={[refusalOf(row.name, onDone)]} />
    </div>
  );
}

function refusalOf(name: string, onDone: () => void) {
  return {
    label: 'Refuse',
    question: `Refuse the request of ${name}?`,
    done: `The request of ${name} is deleted.`,
    tone: 'danger',
    perform: async () => {
      await callApi(`/puppet-ca/v1/certificate_request/${encodeURIComponent(name)}`, { method: 'DELETE' });
      onDone();
    },
    children: 'The request is deleted. What is known of the node stays, and it may send another request.',
  } as const;
}
