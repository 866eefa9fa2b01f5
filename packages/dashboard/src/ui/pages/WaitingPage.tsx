import { Center, Loader } from '@mantine/core'

export const WaitingPage = () => (
  <Center className="svc-wait" mih={320} role="status" aria-label="Loading">
    <Loader size="sm" type="dots" color="var(--mantine-color-dimmed)" />
  </Center>
)
