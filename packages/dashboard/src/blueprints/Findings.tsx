import { CloseButton } from '@mantine/core'
import type { BundleFinding } from '@svc/api'
import { ApiError } from '../data/api.ts'
import { count, Text } from '../ui/index.ts'

interface FindingsProps {
  file: string
  error: unknown
  onClose: () => void
}

/**
 * Shows why the service or the page refused a bundle: every finding with its file and line, as `svc check` prints them,
 * or otherwise the error message.
 */
export function Findings({ file, error, onClose }: FindingsProps) {
  const findings = error instanceof ApiError ? error.findings : []
  return (
    <div className="svc-notice bp-refused" data-tone="no" role="alert">
      <div className="bp-refused-head">
        <strong>
          {file === '' ? 'Refused' : <Text>{file}</Text>}
          {findings.length > 0 ? `: ${count(findings.length, 'finding')}` : file === '' ? '' : ' was not taken'}
        </strong>
        <CloseButton onClick={onClose} aria-label="Dismiss the findings" size="sm" />
      </div>
      {findings.length === 0 ? (
        <p>
          <Text lines>{error instanceof Error ? error.message : String(error)}</Text>
        </p>
      ) : (
        <>
          <ul>
            {findings.map((finding, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a list that never moves, whose lines may repeat
              <li key={i}>
                <Finding finding={finding} />
              </li>
            ))}
          </ul>
          <p className="svc-quiet">
            Nothing was stored. <code>svc check</code> finds the same on your own machine.
          </p>
        </>
      )}
    </div>
  )
}

function Finding({ finding: { file, line, column, message } }: { finding: BundleFinding }) {
  if (file === null) return <Text>{`The bundle ${message}`}</Text>
  const where = `${file}${line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`}`
  return (
    <>
      <code className="bp-where">
        <Text>{where}</Text>
      </code>{' '}
      <Text>{message}</Text>
    </>
  )
}
