import { PageHead } from '../parts/panel.tsx';
import { ReportList } from './report-list.tsx';

/** The reports of all nodes. */
export function ReportsPage() {
  return (
    <>
      <PageHead title="Reports" lead="What the runs of agents did, newest first" />
      <ReportList certname={null} />
    </>
  );
}
