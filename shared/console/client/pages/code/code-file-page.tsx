import { codePath } from '../../data/code-places.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CodeLines, type CodeWindow } from '../../parts/code-lines.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { PathText } from '../../parts/path-text.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';

/** Lines before and after the wanted one. */
const AROUND = 60;

/** A file of an environment's code, around a line. `code` in the address names earlier code. */
export function CodeFilePage({ environment }: { readonly environment: string }) {
  const [query] = useParameters();
  const path = query.get('path') ?? '';
  const codeId = query.get('code');
  const line = readNumber(query, 'line');
  const middle = readNumber(query, 'middle') ?? line ?? 1;
  const mayView = usePermission('environment', 'view_code', environment);
  return (
    <>
      <PageHead
        title={path.split('/').at(-1) ?? 'Code'}
        lead={
          <span class="lead-row">
            <span>{environment}</span>
            <PathText text={path} />
          </span>
        }
      />
      {mayView && path !== '' ? (
        <File environment={environment} path={path} codeId={codeId} line={line} middle={middle} />
      ) : (
        <EmptyState title={mayView ? 'The address names no file.' : 'You may not see this code.'}>
          {mayView ? (
            <Link to="/code">Environments and their code</Link>
          ) : (
            <>
              It needs the permission <code>environment:view_code</code> for {environment}.
            </>
          )}
        </EmptyState>
      )}
    </>
  );
}

/** A line that the address names; null for none. */
function readNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name) ?? '';
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

interface FileProps {
  readonly environment: string;
  readonly path: string;
  /** Null: the code in force. */
  readonly codeId: string | null;
  readonly line: number | null;
  readonly middle: number;
}

function File({ environment, path, codeId, line, middle }: FileProps) {
  const wanted = new URLSearchParams({ path, line: String(middle), around: String(AROUND) });
  if (codeId !== null) wanted.set('code', codeId);
  const answer = useAnswer(`/understudy/v1/environments/${encodeURIComponent(environment)}/code?${wanted}`);
  return (
    <AnswerView answer={answer} what="the code" lines={14}>
      {(shown) => (
        <Panel
          title={printRange(shown)}
          actions={
            <span class="lead-row">
              <span class="muted">{shown.isInForce ? 'in force' : 'not in force'}</span>
              <ShortId id={shown.codeId} what="the code id" />
            </span>
          }
        >
          {shown.lines.length === 0 ? (
            <EmptyState title="The file is empty." />
          ) : (
            <CodeLines shown={shown} marked={line} label={`${path}, ${printRange(shown)}`} />
          )}
          <MoreLines shown={shown} codeId={codeId} line={line} />
        </Panel>
      )}
    </AnswerView>
  );
}

function printRange({ first, lines, total }: CodeWindow): string {
  return lines.length === 0
    ? 'No lines'
    : `Lines ${first}–${first + lines.length - 1} of ${total.toLocaleString('en')}`;
}

interface MoreLinesProps extends Pick<FileProps, 'codeId' | 'line'> {
  readonly shown: CodeWindow;
}

/** Links to the lines before and after those that are shown. */
function MoreLines({ shown, codeId, line }: MoreLinesProps) {
  const { environment, path, first, lines, total } = shown;
  const last = first + lines.length - 1;
  if (first === 1 && last >= total) return null;
  const to = (middle: number) => codePath({ environment, path, codeId, line, middle });
  return (
    <div class="pager panel-pager">
      {first > 1 && (
        <Link to={to(Math.max(1, first - AROUND))} class="button button-small">
          Lines before
        </Link>
      )}
      {last < total && (
        <Link to={to(Math.min(total, last + AROUND))} class="button button-small">
          Lines after
        </Link>
      )}
    </div>
  );
}
