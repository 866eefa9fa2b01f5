import { Button, CloseButton, Progress } from '@mantine/core'
import { Dropzone, type FileRejection } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import type { BundleFinding } from '@svc/api'
import { limits, limitText, sizeText } from '@svc/protocol'
import { IconFileZip, IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ApiError, uploadBundle } from '../data/api.ts'
import { queryKeys, read } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { count, Text } from '../ui/index.ts'
import { notify } from '../ui/notify.tsx'

/**
 * The media types that a dropped file may have. A file without a known media type is accepted if its name ends in
 * `.zip`.
 */
const zips = { 'application/zip': ['.zip'], 'application/x-zip-compressed': ['.zip'] }

type UploadState =
  | { is: 'nothing' }
  | { is: 'sending'; file: string; share: number | undefined }
  | { is: 'refused'; file: string; error: unknown }

/**
 * The area in which a person drops a bundle, or chooses one with a button, to upload it. Shows the progress, and why a
 * bundle was refused.
 */
export function Upload({ slug, blueprint }: { slug: string; blueprint?: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [doing, setDoing] = useState<UploadState>({ is: 'nothing' })
  const choose = useRef<() => void>(null)

  const send = async ([file]: File[]) => {
    if (!file) return
    setDoing({ is: 'sending', file: file.name, share: 0 })
    try {
      const made = await uploadBundle(slug, file, (share) => setDoing({ is: 'sending', file: file.name, share }))
      client.setQueryData(
        read('GET /w/:slug/blueprints/:blueprint/versions/:version', {
          slug,
          blueprint: made.blueprint,
          version: made.version,
        }).queryKey,
        made,
      )
      void client.invalidateQueries({ queryKey: queryKeys.blueprints(slug) })
      setDoing({ is: 'nothing' })
      notify({
        color: made.note === undefined ? 'green' : 'yellow',
        title: `${made.blueprint} ${made.version}`,
        message: `Uploaded. It can be installed now.${made.note === undefined ? '' : ` ${made.note}`}`,
      })
      await navigate({
        to: paths.blueprint,
        params: { slug, blueprint: made.blueprint },
        search: { version: made.version },
      })
    } catch (error) {
      setDoing({ is: 'refused', file: file.name, error })
    }
  }
  const refuse = (rejections: FileRejection[]) =>
    setDoing({ is: 'refused', file: rejections[0]?.file.name ?? '', error: new Error(whyNot(rejections)) })

  return (
    <div>
      <Dropzone
        onDrop={(files: File[]) => void send(files)}
        onReject={refuse}
        accept={zips}
        maxSize={limits.bundleBytes}
        multiple={false}
        openRef={choose}
        activateOnClick={false}
        activateOnKeyboard={false}
        disabled={doing.is === 'sending'}
        inputProps={{ 'aria-label': 'Bundle to upload' }}
        className="bp-drop"
      >
        <IconFileZip size={26} stroke={1.4} aria-hidden />
        <div className="bp-drop-words">
          <strong>
            {blueprint === undefined ? 'Drop a blueprint’s zip here' : `Drop a new version of ${blueprint} here`}
          </strong>
          <span className="svc-quiet">
            The bundle that <code>svc pack</code> makes, at most {limitText(limits.bundleBytes)}.
          </span>
        </div>
        <Button
          variant="default"
          leftSection={<IconUpload size={15} aria-hidden />}
          onClick={() => choose.current?.()}
          disabled={doing.is === 'sending'}
        >
          Upload a zip…
        </Button>
      </Dropzone>
      {doing.is === 'sending' && <Sending file={doing.file} share={doing.share} />}
      {doing.is === 'refused' && (
        <Findings file={doing.file} error={doing.error} onClose={() => setDoing({ is: 'nothing' })} />
      )}
    </div>
  )
}

/** The progress of an upload. `share` is the part that was sent, undefined while the upload waits for another tab. */
const Sending = ({ file, share }: { file: string; share: number | undefined }) => (
  <div className="bp-sending">
    <div role="status">
      {share === undefined
        ? 'Waiting for the upload in another tab before sending'
        : share < 1
          ? 'Sending'
          : 'Checking'}{' '}
      <Text>{file}</Text> …
    </div>
    <Progress value={(share ?? 0) * 100} aria-label={`Sending ${file}`} striped={share === 1} animated={share === 1} />
  </div>
)

function whyNot(rejections: FileRejection[]): string {
  const codes = rejections.flatMap(({ errors }) => errors.map(({ code }) => code))
  if (rejections.length > 1 || codes.includes('too-many-files')) return 'One zip at a time.'
  if (codes.includes('file-too-large')) {
    return `A bundle may have at most ${limitText(limits.bundleBytes)}: this one has ${sizeText(rejections[0]?.file.size ?? 0)}.`
  }
  return 'This is not a zip. In the agent’s folder, “svc pack” makes the bundle to upload.'
}

interface FindingsProps {
  file: string
  error: unknown
  onClose: () => void
}

/** Shows why a bundle was refused: each finding with its file and line or, without findings, the error message. */
function Findings({ file, error, onClose }: FindingsProps) {
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
              // biome-ignore lint/suspicious/noArrayIndexKey: findings have no id, and may repeat
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
