import { Dialog } from './dialog.tsx';

const keys: readonly (readonly [string, string])[] = [
  ['g o', 'Overview'],
  ['g j', 'Jobs'],
  ['g b', 'Batches'],
  ['g a', 'Approvals'],
  ['g c', 'Costs'],
  ['g h', 'Health'],
  ['j / k', 'Next, previous in a list'],
  ['Enter', 'Open what is chosen'],
  ['a', 'Approve the call that is chosen'],
  ['d', 'Deny the call that is chosen'],
  ['Ctrl Enter', 'Do what a dialog asks about'],
  ['Esc', 'Close a dialog'],
  ['?', 'This list'],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="pairs">
        {keys.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
