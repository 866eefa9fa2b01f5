import type { Subject } from '@svc/protocol'
import { UntrustedLink } from '../../ui/index.ts'
import { percent } from '../../ui/time/format.ts'

/** Shows the subjects of a run. If the agent reports their shares of the run, each has a small bar and a figure. */
export function Subjects({ subjects }: { subjects: readonly Subject[] }) {
  const shared = subjects.some((subject) => subject.share !== undefined)
  return (
    <ul className="svc-list ag-subjects" data-shared={shared}>
      {subjects.map((subject, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: subjects have no id, and titles may repeat
        <li key={`${i}-${subject.title}`}>
          {shared && <Share share={subject.share} />}
          <UntrustedLink title={subject.title} url={subject.url} />
        </li>
      ))}
    </ul>
  )
}

const Share = ({ share }: { share: number | undefined }) => (
  <span className="ag-share">
    {share !== undefined && (
      <>
        <i aria-hidden>
          <b style={{ width: `${share * 100}%` }} />
        </i>
        {percent(share)}
      </>
    )}
  </span>
)
