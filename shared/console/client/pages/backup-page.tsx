import type { AnswerOf } from '../../../api/described-answers.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../parts/after-answer.tsx';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { FactList, PageHead, Panel } from '../parts/panel.tsx';
import { PathText } from '../parts/path-text.tsx';
import { RelativeTime, useNow } from '../parts/time.tsx';

/** An older backup is worth a word. */
const OLD_MS = 7 * 86_400_000;

const COMMANDS: readonly (readonly [string, string])[] = [
  ['understudy backup FILE --data DIR', 'writes database, blobs and keys into one file, while the server runs'],
  ['understudy restore FILE --data NEW_DIR', 'makes a new data directory of such a file'],
  ['understudy verify --data DIR', 'checks the database, and each blob that it names; --repair heals what it can'],
  ['understudy ca export DIR', "writes the certificate authority as the files of a Puppet Server's"],
];

/** When the data was last written into a file, and how to do it. */
export function BackupPage() {
  const answer = useAnswer('/understudy/v1/backups', { every: 60_000 });
  const isSettled = useSettled([answer]);
  return (
    <>
      <PageHead title="Backup" lead="When the data was last written into a file, and how to get it back" />
      <div class="grid">
        <Panel title="Last backup">
          <AnswerView answer={answer} what="the backup" lines={4}>
            {({ last }) => <LastBackup last={last} />}
          </AnswerView>
        </Panel>
        <AfterAnswer isSettled={isSettled}>
          <Panel title="On the server">
            <dl class="commands panel-part">
              {COMMANDS.map(([command, what]) => (
                <div key={command}>
                  <dt>
                    <code>{command}</code>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
            <p class="muted">A backup has the key of the certificate authority: keep the file as safe as that.</p>
          </Panel>
        </AfterAnswer>
      </div>
    </>
  );
}

function LastBackup({ last }: AnswerOf<'getBackups'>) {
  const now = useNow();
  if (last === null) {
    return (
      <EmptyState title="No backup is known.">
        <code>understudy backup FILE --data DIR</code> on the server makes one. A deployment in AWS has backups of its
        own.
      </EmptyState>
    );
  }
  return (
    <>
      {now - last.at > OLD_MS && (
        <p class="notice notice-wait">The last backup is older than a week: all that came later would be lost.</p>
      )}
      <FactList
        entries={[
          ['Made', <RelativeTime key="at" at={last.at} />],
          ['File', <PathText key="file" text={last.file} />],
          ['Blobs', last.blobs.toLocaleString('en')],
        ]}
      />
    </>
  );
}
