import { Stack } from '@mantine/core'
import { CopyLines } from '../ui/index.ts'
import { checkLine, downloadLines } from './lines.ts'

/** The two lines that fetch the program and make it a command, and what one may ask about them. */
export const FetchProgram = ({ baseUrl }: { baseUrl: string }) => (
  <Stack gap={8}>
    <CopyLines text={downloadLines(baseUrl)} label="lines that fetch the program" />
    <p className="svc-quiet">
      Node 20 or newer runs it; Python 3.6 or newer finds Node and starts it. The second line makes it the command{' '}
      <code>svc</code> of your account, and says so if your shell does not find it yet.
    </p>
    <details className="svc-quiet">
      <summary>Check the file first</summary>
      <CopyLines text={checkLine(baseUrl)} label="line that checks the program" />
      <p>Paste it between the two lines, on Linux or macOS. It says “svc.pyz: OK”.</p>
    </details>
  </Stack>
)
