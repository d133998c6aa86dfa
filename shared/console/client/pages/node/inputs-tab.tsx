import type { NodeInputs, ShownFacts, ShownInput } from '../../data/node-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { showValue } from '../../parts/code-block.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { PathText } from '../../parts/path-text.tsx';
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

/** The columns; `values` are those of facts where the answer does not have them. */
function columnsOf(values: ShownFacts | null): readonly TableColumn<ShownInput>[] {
  return [
    { id: 'kind', title: 'Kind', show: ({ kind }) => KINDS[kind] ?? kind },
    {
      id: 'name',
      title: 'Input',
      isWide: true,
      show: (input) => (
        <>
          <PathText text={withoutPrefix(input.name)} class="input-name" />
          <InputValue text={input.value ?? valueOfFact(input, values)} />
        </>
      ),
    },
    { id: 'readers', title: 'Read by', isWide: true, show: ({ readers }) => <Readers readers={readers} /> },
    { id: 'why', title: 'Why it counts', isWide: true, show: ({ why }) => why },
  ];
}

/** All paths are in the environment of the node: its name says nothing. */
function withoutPrefix(path: string): string {
  return path.replace(/^environments\/\w+\//, '');
}

/** The value of a fact by its path, as JSON where it is no text; null for other inputs. */
function valueOfFact({ kind, name }: ShownInput, values: ShownFacts | null): string | null {
  if (values === null || (kind !== 'fact' && kind !== 'trusted')) return null;
  let value: unknown = kind === 'fact' ? values.facts : values.trusted;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = Reflect.get(value, step);
  }
  return showValue(value);
}

/** So much of a value is shown; all of it on hover. */
const MOST_TEXT = 200;

function InputValue({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return null;
  return (
    <code class="input-value" title={text}>
      {text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text}
    </code>
  );
}

/** What the catalog was made of: each input with who read it and why. */
export function InputsTab({ certname }: { readonly certname: string }) {
  const [query] = useParameters();
  const answer = useAnswer<NodeInputs>(`/understudy/v1/nodes/${encodeURIComponent(certname)}/inputs`, {
    events: ['node'],
  });
  const facts = useAnswer<ShownFacts>(`/understudy/v1/nodes/${encodeURIComponent(certname)}/facts`);
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
        {(inputs) => <InputTable inputs={inputs} facts={facts.data} query={query} />}
      </AnswerView>
    </>
  );
}

interface InputTableProps {
  readonly inputs: NodeInputs;
  readonly facts: ShownFacts | null;
  readonly query: URLSearchParams;
}

function InputTable({ inputs, facts, query }: InputTableProps) {
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
        Compiled <RelativeTime at={inputs.compiledAt} /> from code <ShortId id={inputs.codeId} />. The catalog is
        compiled again when one of these changes.
        {inputs.omitted > 0 && ` ${inputs.omitted.toLocaleString('en')} more are not listed.`}
      </p>
      <DataTable
        label="Inputs"
        columns={columnsOf(facts)}
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

/** So many readers are shown of one input. */
const MOST_READERS = 4;

function Readers({ readers }: Pick<ShownInput, 'readers'>) {
  return (
    <ul class="readers">
      {readers.slice(0, MOST_READERS).map(({ file, line, text }) => (
        <li key={`${file}:${line}`}>
          {file !== null && <PathText text={`${withoutPrefix(file)}${line === null ? '' : `:${line}`}`} />}
          {text !== undefined && text !== null && text !== '' && <code class="reader-text">{text.trim()}</code>}
        </li>
      ))}
      {readers.length > MOST_READERS && <li class="muted">and {readers.length - MOST_READERS} more</li>}
    </ul>
  );
}
