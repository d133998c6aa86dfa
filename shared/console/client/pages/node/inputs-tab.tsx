import { followNode } from '../../data/answer-options.ts';
import { wholePathOf } from '../../data/code-places.ts';
import type { NodeInputs, ShownInput } from '../../data/node-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { PathText } from '../../parts/path-text.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import { ChoiceBox, SearchBox } from '../../parts/search-box.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { useParameters } from '../../routing/location.ts';

const PAGE_SIZE = 50;
const KINDS: Readonly<Record<string, string>> = {
  fact: 'Fact',
  trusted: 'Trusted fact',
  setting: 'Setting',
  classification: 'Classification',
  data: 'Hiera key',
  file: 'File',
  listing: 'Listing',
  collector: 'Collector',
  query: 'Query',
  volatile: 'Volatile call',
};

/** A path of the code that is in no environment: shared by all. */
function isOutside({ kind, name }: ShownInput): boolean {
  return ['file', 'listing', 'data'].includes(kind) && !name.startsWith('environments/');
}

const columnsOf = (codeId: string | null): readonly TableColumn<ShownInput>[] => [
  { id: 'kind', title: 'Kind', show: ({ kind }) => KINDS[kind] ?? kind },
  {
    id: 'name',
    title: 'Input',
    isWide: true,
    show: (input) => <InputName input={input} />,
  },
  {
    id: 'readers',
    title: 'Read by',
    isWide: true,
    show: ({ readers }) => <Readers readers={readers} codeId={codeId} />,
  },
  { id: 'why', title: 'Why it counts', isWide: true, show: ({ why }) => why },
];

function InputName({ input }: { readonly input: ShownInput }) {
  const { name, value } = input;
  return (
    <>
      <PathText text={withoutPrefix(name)} class="input-name" />
      {isOutside(input) && <span class="muted">outside of the environment</span>}
      {value !== undefined && value !== null && value !== '' && <code class="input-value">{value}</code>}
    </>
  );
}

/** Most paths are in the environment of the node: its name says nothing. */
function withoutPrefix(path: string): string {
  return path.replace(/^environments\/\w+\//, '');
}

/** Inputs of the catalog, each with its reader and the reason. */
export function InputsTab({ certname }: { readonly certname: string }) {
  const [query] = useParameters();
  const answer = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(certname)}/inputs`, followNode(certname));
  const kinds = [...new Set(answer.data?.inputs.map(({ kind }) => kind) ?? [])];
  return (
    <>
      <div class="filters">
        <ChoiceBox
          label="Kind"
          name="kind"
          options={[['', 'All kinds'], ...kinds.map((kind) => [kind, KINDS[kind] ?? kind] as const)]}
        />
        <SearchBox label="Find an input, a reader or a reason" name="find" placeholder="ntp::servers" />
      </div>
      <AnswerView answer={answer} what="the inputs" lines={12}>
        {(inputs) => <InputTable inputs={inputs} query={query} />}
      </AnswerView>
    </>
  );
}

interface InputTableProps {
  readonly inputs: NodeInputs;
  readonly query: URLSearchParams;
}

function InputTable({ inputs, query }: InputTableProps) {
  const [kind, wanted] = [query.get('kind') ?? '', (query.get('find') ?? '').toLowerCase()];
  const found = inputs.inputs.filter((input) => (kind === '' || input.kind === kind) && contains(input, wanted));
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  if (inputs.inputs.length === 0) {
    return (
      <EmptyState title="Nothing was compiled yet.">
        The inputs are recorded when the first catalog is compiled.
      </EmptyState>
    );
  }
  if (found.length === 0) return <EmptyState title="No input matches." />;
  const rows = found.slice(offset, offset + PAGE_SIZE);
  return (
    <>
      <p class="table-lead">
        Compiled <RelativeTime at={inputs.compiledAt} /> from code <ShortId id={inputs.codeId} what="the code id" />.
        The catalog is compiled again when one of these changes.
        {inputs.omitted > 0 && ` ${inputs.omitted.toLocaleString('en')} more are not listed.`}
      </p>
      <DataTable
        label="Inputs"
        columns={columnsOf(inputs.codeId)}
        rows={rows}
        keyOf={({ kind: one, name }) => `${one} ${name}`}
      />
      <Pager shown={rows.length} total={found.length} offset={offset} pageSize={PAGE_SIZE} />
    </>
  );
}

function contains({ name, value, why, readers }: ShownInput, wanted: string): boolean {
  if (wanted === '') return true;
  const texts = [name, value ?? '', why, ...readers.map(({ file, text }) => `${file ?? ''} ${text ?? ''}`)];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** Maximum number of readers shown of one input. */
const MOST_READERS = 4;

interface ReadersProps extends Pick<ShownInput, 'readers'> {
  /** The code of the compile; null when it is not known. */
  readonly codeId: string | null;
}

function Readers({ readers, codeId }: ReadersProps) {
  return (
    <ul class="readers">
      {readers.slice(0, MOST_READERS).map(({ file, line, text, isFirst }) => (
        <li key={`${file}:${line}`}>
          {file !== null && (
            <PlaceLink file={wholePathOf(file)} line={line} environment={null} codeId={codeId}>
              <PathText text={`${withoutPrefix(file)}${line === null ? '' : `:${line}`}`} />
            </PlaceLink>
          )}
          {isFirst === true && <span class="muted"> read it first</span>}
          {text !== undefined && text !== null && text !== '' && <code class="reader-text">{text.trim()}</code>}
        </li>
      ))}
      {readers.length > MOST_READERS && <li class="muted">and {readers.length - MOST_READERS} more</li>}
    </ul>
  );
}
