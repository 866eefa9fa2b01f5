import { TextInput } from '@mantine/core'
import { trimInvisible } from '@svc/protocol'
import { useState } from 'react'
import { Help } from '../../ui/index.ts'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { keepBlock, reportLine } from './paste-lines.ts'
import './agents.css'

/** Says how svc keeps a connected program running, now and at every boot. */
export function KeepRunning() {
  const [command, setCommand] = useState('')
  return (
    <div className="svc-column svc-keep">
      <p>
        Connecting sends one report. For more, let svc start the program: now, at every boot, and again when it ends.
      </p>
      <TextInput
        label="Command that starts it"
        placeholder="python3 main.py"
        value={command}
        onChange={(event) => setCommand(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <CopyLines text={keepBlock(trimInvisible(command) || 'python3 main.py')} label="lines that keep it running" />
      <p className="svc-quiet">
        To change the command later, edit <code>runtime</code> in svc.agent.yaml and run the last line again.
      </p>
      <details className="svc-quiet">
        <summary>Something else starts it</summary>
        <p>Then only report. This line does it until you stop it, and the program never waits for it:</p>
        <CopyLines text={reportLine('.')} label="line that reports" />
      </details>
      <Help about="runtime#running" />
    </div>
  )
}
