import { IconAlertTriangle } from '@tabler/icons-react'
import { Text } from '../../ui/index.ts'

/** The reasons why an installation with new codes would currently be refused. */
export const Warnings = ({ warnings }: { warnings: readonly string[] }) => (
  <div className="svc-notice in-warnings" role="note">
    <IconAlertTriangle size={18} aria-hidden />
    <div>
      <strong>The installation would currently be refused:</strong>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <Text>{warning}</Text>
          </li>
        ))}
      </ul>
    </div>
  </div>
)
