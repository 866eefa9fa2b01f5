import { SegmentedControl, Stack, TextInput } from '@mantine/core'
import { trimInvisible } from '@svc/protocol'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../../data/queries.ts'
import { Help } from '../../ui/page/Help.tsx'
import { Section } from '../../ui/parts.tsx'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { copyLine, programLines, statusLine } from '../dialogs/paste-lines.ts'
import type { Agent } from '../parts/agent.ts'

/** Says how an agent that reports can get a level (2.11). */
export default function NextStep({ agent }: { agent: Agent }) {
  return (
    <Section title="Next step">
      <Stack gap="sm" className="ag-next">
        {agent.page.report?.runtime === undefined ? (
          <p>
            The agent reports, but it has no status yet. Add it to the reports:{' '}
            <code>{smallestStatus.slice(1, -1)}</code>.
          </p>
        ) : (
          <InItsProgram agent={agent} />
        )}
      </Stack>
    </Section>
  )
}

const languages = ['Python', 'Node', 'Other'] as const

/** Shows the lines for the program of an agent that the runtime reports. */
function InItsProgram({ agent: { page } }: { agent: Agent }) {
  const { baseUrl } = useSuspenseQuery(meQuery).data.service
  const [language, setLanguage] = useState<(typeof languages)[number]>('Python')
  const [folder, setFolder] = useState('.')
  const installed = page.blueprint !== null
  return (
    <>
      <p>The agent reports, but it has no status yet. Two lines in its program give it one.</p>
      <SegmentedControl
        aria-label="Language of the program"
        data={[...languages]}
        value={language}
        onChange={setLanguage}
        className="ag-languages"
      />
      {language === 'Other' ? (
        <>
          <p>
            The program writes a status file
            {installed ? (
              <>
                {' '}
                where <code>status</code> in <code>svc.agent.yaml</code> says. The smallest one:
              </>
            ) : (
              ' into its folder. The smallest one:'
            )}
          </p>
          <CopyLines
            text={installed ? smallestStatus : statusLine(smallestStatus)}
            label={installed ? 'smallest status file' : 'line that writes a status file'}
          />
          <Help about="start#write-a-status-file" />
        </>
      ) : (
        <>
          <p>Copy one file beside the program. It needs nothing else:</p>
          <CopyLines text={copyLine(baseUrl, language)} label="line that copies the file" />
          {!installed && (
            <TextInput
              label="The agent’s folder"
              description="The one with svc.agent.yaml. A dot is the folder in which the program starts."
              value={folder}
              onChange={(event) => setFolder(event.currentTarget.value)}
              spellCheck={false}
              autoComplete="off"
            />
          )}
          <p>
            Add these lines to the program
            {installed && (
              <>
                , if <code>status</code> in <code>svc.agent.yaml</code> is <code>state/status.json</code>
              </>
            )}
            . The page shows what they say with the next report:
          </p>
          <CopyLines
            text={programLines(language, { folder: installed ? '' : trimInvisible(folder) || '.', name: page.name })}
            label="lines for the program"
          />
          <Help about="sdk#all-calls" />
        </>
      )}
    </>
  )
}

const smallestStatus = '{"state":{"level":"ok","label":"Hello"}}'
