/** Tests the remark about a data folder that is lost with its container. The mounts are those of real containers. */
import { expect, test } from 'vitest'
import { containerRemark } from './container.ts'

const overlay = '78 51 0:40 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containers/storage/overlay/l/EKV2'
const disk = '24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard'
const part = '24 1 254:0 /var/lib/containers/storage/vfs/dir/5f2a / rw,relatime - ext4 /dev/vda rw,discard'
const proc = '79 78 0:43 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw'
const volume = (name: string, point = '/var/lib/svc/data') =>
  `99 78 254:0 /var/lib/containers/storage/volumes/${name}/_data ${point} rw,nosuid,nodev,relatime - ext4 /dev/vda rw`
const nameless = 'c0ffee'.padEnd(64, '0')

const data = '/var/lib/svc/data'
const lost = expect.stringMatching(
  /^the data folder \/var\/lib\/svc\/data is part of this container and is lost with it; /,
)

test.each([
  ['a container without a volume', [overlay, proc], true, lost],
  ['a container whose engine leaves no mark', [overlay, proc], false, lost],
  ['a container whose storage is no overlay', [part, proc], true, lost],
  ['a container on a file system without a device', ['24 1 0:40 / / rw - zfs tank/svc rw', proc], true, lost],
  ['a machine', [disk, proc], false, undefined],
  ['a machine that was made from an image of a container', [disk, proc], true, undefined],
  ['a volume', [overlay, proc, volume('svc')], true, undefined],
  ['a volume for a folder above', [overlay, volume('svc', '/var/lib')], true, undefined],
  ['a volume for a folder whose name begins in the same way', [overlay, volume('svc', '/var/lib/s')], true, lost],
  ['a volume without a name', [overlay, volume(nameless)], true, expect.stringMatching(/in a volume without a name, /)],
  ['a volume that covers another one', [overlay, volume(nameless), volume('svc')], true, undefined],
  ['a tmpfs, which somebody chose', [overlay, `9 8 0:5 / ${data} rw - tmpfs tmpfs rw`], true, undefined],
  ['no mounts', [], true, undefined],
])('%s', (_, lines, isMarked, remark) => {
  expect(containerRemark(data, { mounts: `${lines.join('\n')}\n`, isMarked })).toEqual(remark)
})

test('the path of a mount may contain spaces', () => {
  const mounts = [overlay, volume('svc', '/my\\040data')].join('\n')
  expect(containerRemark('/my data/svc', { mounts, isMarked: true })).toBeUndefined()
})
