import { callApi } from '../data/api-client.ts';
import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { FactList, PageHead, Panel } from '../parts/panel.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { useParameters } from '../routing/location.ts';

/** A certificate or request, as `certificate_status` writes it. */
interface CertificateRow {
  readonly name: string;
  readonly state: string;
  readonly fingerprint: string;
  readonly dns_alt_names?: readonly string[];
  readonly subject_alt_names?: readonly string[];
  readonly authorization_extensions?: Readonly<Record<string, string>>;
  readonly not_before?: string;
  readonly not_after?: string;
  readonly serial_number?: number;
}

const STATUS = '/puppet-ca/v1/certificate_status';
const REQUESTED = '/puppet-ca/v1/certificate_statuses/all?state=requested';
/** So many requests are listed. */
const MOST_LISTED = 200;

/** Requests that wait for a signature, and what there is of a name. */
export function CertificatesPage() {
  const [query] = useParameters();
  const name = query.get('name') ?? '';
  const answer = useAnswer<readonly CertificateRow[]>(REQUESTED, { events: ['certificate-requests'], every: 30_000 });
  const columns: readonly TableColumn<CertificateRow>[] = [
    ...COLUMNS,
    { id: 'actions', title: 'Actions', show: (row) => <RequestActions row={row} onDone={answer.reload} /> },
  ];
  return (
    <>
      <PageHead title="Certificates" lead="Sign only requests whose fingerprint you have seen on the node" />
      <div class="grid">
        <Panel title="Waiting requests" actions={<span class="muted">{answer.data?.length ?? ''}</span>}>
          <AnswerView answer={answer} what="the requests" lines={6}>
            {(rows) =>
              rows.length === 0 ? (
                <EmptyState title="No request waits.">
                  A new agent sends one at its first run: <code>puppet agent --test --waitforcert 60</code>
                </EmptyState>
              ) : (
                <DataTable
                  label="Certificate requests"
                  columns={columns}
                  rows={rows.slice(0, MOST_LISTED)}
                  keyOf={(row) => row.name}
                />
              )
            }
          </AnswerView>
        </Panel>
        <Panel title="Look a certificate up">
          <SearchBox label="Certname" name="name" placeholder="web01.example.com" />
          {name !== '' && <CertificateOfName key={name} name={name} />}
        </Panel>
      </div>
    </>
  );
}

const COLUMNS: readonly TableColumn<CertificateRow>[] = [
  { id: 'name', title: 'Certname', isWide: true, show: ({ name }) => name },
  {
    id: 'fingerprint',
    title: 'Fingerprint (SHA-256)',
    isWide: true,
    show: (row) => <Fingerprint text={row.fingerprint} />,
  },
  { id: 'alt', title: 'Other names', show: ({ subject_alt_names = [] }) => subject_alt_names.join(', ') },
  {
    id: 'extensions',
    title: 'Extensions',
    show: ({ authorization_extensions = {} }) =>
      Object.entries(authorization_extensions)
        .map(([key, value]) => `${key}: ${value}`)
        .join(', '),
  },
];

/** A fingerprint in a fixed width that breaks between its bytes. */
function Fingerprint({ text }: { readonly text: string }) {
  const parts = text.split(':');
  return (
    <code class="fingerprint">
      {parts.map((part, index) => (
        <span key={index}>
          {part}
          {index < parts.length - 1 && ':'}
          <wbr />
        </span>
      ))}
    </code>
  );
}

function RequestActions({ row, onDone }: { readonly row: CertificateRow; readonly onDone: () => void }) {
  const maySign = usePermission('cert_requests', 'accept_reject');
  if (!maySign) return null;
  const path = encodeURIComponent(row.name);
  return (
    <div class="actions">
      <ConfirmButton
        label="Sign"
        spoken={`Sign ${row.name}`}
        question={`Sign the request of ${row.name}?`}
        done={`${row.name} has its certificate.`}
        tone="primary"
        perform={async () => {
          await callApi(`${STATUS}/${path}`, { method: 'PUT', body: { desired_state: 'signed' } });
          onDone();
        }}
        isSmall
      >
        <p>The node gets a certificate, and with it its catalogs. Compare the fingerprint with that on the node:</p>
        <Fingerprint text={row.fingerprint} />
      </ConfirmButton>
      <ConfirmButton
        label="Refuse"
        spoken={`Refuse ${row.name}`}
        question={`Refuse the request of ${row.name}?`}
        done={`The request of ${row.name} is deleted.`}
        tone="danger"
        perform={async () => {
          await callApi(`/puppet-ca/v1/certificate_request/${path}`, { method: 'DELETE' });
          onDone();
        }}
        isSmall
      >
        The request is deleted. The node may send another one.
      </ConfirmButton>
    </div>
  );
}

function CertificateOfName({ name }: { readonly name: string }) {
  const answer = useAnswer<CertificateRow>(`${STATUS}/${encodeURIComponent(name)}`);
  const mayRevoke = usePermission('cert_requests', 'accept_reject');
  if (answer.fault?.kind === 'not-found') {
    return <EmptyState title={`There is neither a certificate nor a request of ${name}.`} />;
  }
  return (
    <AnswerView answer={answer} what="the certificate" lines={5}>
      {(row) => (
        <div class="form found-certificate">
          <FactList
            entries={[
              ['State', <StateBadge key="state" state={row.state} />],
              ['Fingerprint', <Fingerprint key="print" text={row.fingerprint} />],
              ['Valid', row.not_before === undefined ? 'not yet' : `${row.not_before} to ${row.not_after ?? '?'}`],
              ['Serial number', String(row.serial_number ?? 'none')],
              ['Other names', (row.subject_alt_names ?? []).join(', ')],
            ]}
          />
          {mayRevoke && row.state === 'signed' && (
            <div class="actions">
              <ConfirmButton
                label="Revoke"
                question={`Revoke the certificate of ${row.name}?`}
                done={`The certificate of ${row.name} is revoked.`}
                tone="danger"
                perform={async () => {
                  const body = { desired_state: 'revoked' };
                  await callApi(`${STATUS}/${encodeURIComponent(row.name)}`, { method: 'PUT', body });
                  answer.reload();
                }}
              >
                The node gets nothing from this server any more. This cannot be undone; the node needs a new
                certificate.
              </ConfirmButton>
            </div>
          )}
        </div>
      )}
    </AnswerView>
  );
}
