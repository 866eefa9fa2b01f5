import { Stack } from '@mantine/core'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { checkLine, downloadLines } from './paste-lines.ts'

/** Says what to type on a machine without Python: the file can start without it. */
export const WithoutPython = () => (
  <>
    Without Python, type <code>chmod +x svc.pyz && ./svc.pyz</code> in place of <code>python3 svc.pyz</code>.
  </>
)

/**
 * Shows the two lines that download the program `svc` and make it a command, with what they require, and how to verify
 * the file.
 */
export const FetchProgram = ({ baseUrl }: { baseUrl: string }) => (
  <Stack gap={8}>
    <CopyLines text={downloadLines(baseUrl)} label="lines that download the program" />
    <p className="svc-quiet">
      Requires Node 20 or newer, and Python 3.6 or newer to start it. The second line installs it as the command{' '}
      <code>svc</code> for your user, and tells you if your shell can’t find it yet. <WithoutPython />
    </p>
    <details className="svc-quiet">
      <summary>Verify the file first</summary>
      <CopyLines text={checkLine(baseUrl)} label="line that verifies the program" />
      <p>Run this between the two lines, on Linux or macOS. It prints “svc.pyz: OK”.</p>
    </details>
  </Stack>
)
