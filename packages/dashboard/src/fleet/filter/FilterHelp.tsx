import { filterKeys } from '@svc/api/filter'
import { Dialog, Help } from '../../ui/index.ts'

/** The help about filters: how words and terms combine, and which values each key takes. */
export default function FilterHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Filters" size="lg">
      <div className="fleet-filter-help">
        <p>
          A word such as <code>mail</code> is found in the name, status, host, version, blueprint and tags of an agent.
          Use quotation marks for text with spaces: <code>"the password"</code>.
        </p>
        <p>
          All terms must hold. The same key again means <em>or</em>, like a comma: <code>level:bad,warn</code>. A minus
          excludes agents: <code>-tag:prod</code>.
        </p>
        <dl className="svc-kv svc-kv-small">
          {Object.entries(filterKeys).map(([key, { takes }]) => (
            <div key={key}>
              <dt>
                <code>{key}:</code>
              </dt>
              <dd>{takes}</dd>
            </div>
          ))}
        </dl>
        <p>
          <Help about="page#filters" />
        </p>
      </div>
    </Dialog>
  )
}
