import { Text, useConfirm, WhyButton } from '../../ui/index.ts'

interface DoNotWaitProps {
  /** The running version, which is still watched, or words for several such versions. */
  watched: string
  /** The requested version. */
  version: string
  /** The agents to update at once, in words, such as `3 agents`. */
  who: string
  why: string | null
  /** Sends the decision to the service. */
  send: () => Promise<unknown>
}

/** A button that, once confirmed, starts an update although the running version is still watched. */
export function DoNotWait({ watched, version, who, why, send }: DoNotWaitProps) {
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: `Update ${who} to ${version} without waiting?`,
      content: (
        <>
          <p>
            You give up the rest of the watch: <Text>{watched}</Text> is no longer rolled back by itself if it gets
            worse.
          </p>
          <ul className="svc-consequences">
            <li>
              <Text>{version}</Text> is tested and watched as always. If it fails, its agent goes back to{' '}
              <Text>{watched}</Text>.
            </li>
            <li>
              Versions on hold stay on hold. While it downloads, nothing watches the running version. If the download
              fails, the watch goes on.
            </li>
          </ul>
        </>
      ),
      confirm: 'Do not wait',
      act: send,
    })
  return (
    <WhyButton variant="default" onClick={ask} why={why}>
      Do not wait…
    </WhyButton>
  )
}
