/** Containers and clusters. */
import { gtfobins, type PowerTable } from "./power-table.ts"

const compose = {
  source: "docker compose --help: another file is another configuration",
  spelling: "whole",
  options: "-f --file --project-directory --env-file",
  valued: "-p --project-name --profile --ansi --progress --parallel",
  behind: "another's",
} as const

export const containerOptions: PowerTable = {
  "docker|podman|nerdctl": {
    source: `docker(1); ${gtfobins}/gtfobins/docker`,
    spelling: "whole",
    options: "-H -o --host --context --config --output --iidfile --metadata-file --cidfile",
  },
  podman: {
    source: "podman(1): programs, and where it keeps what it has",
    spelling: "whole",
    options: `
      --conmon --runtime --runtime-flag --hooks-dir --network-cmd-path --module --root --runroot --imagestore
      --storage-opt --tmpdir --url --connection --identity
    `,
  },
  "docker run|docker create|docker exec|podman run|podman create|podman exec|nerdctl run|nerdctl exec": {
    source: "docker run --help",
    spelling: "whole",
    valued: `
      -v -e -p -u -w -m -l --volume --env --publish --user --workdir --name --network --mount --label --entrypoint
      --platform
    `,
  },
  "docker-compose|podman-compose": compose,
  "docker compose|podman compose|nerdctl compose": compose,
  "docker compose config|docker compose convert|docker-compose config|podman compose config": {
    source: "docker compose config --help",
    spelling: "whole",
    options: "-o -f --output --file --lock-image-digests",
  },
  "docker build|docker buildx|podman build|nerdctl build": {
    source: "docker build --help: another file is another build",
    spelling: "whole",
    options: "-f --file",
  },
  "docker context": { source: "docker context --help", options: "create export import rm update use" },
  "kubectl|oc": {
    source: "kubectl options",
    spelling: "whole",
    options: `
      -s --kubeconfig --kuberc --server --as --as-group --as-uid --token --cache-dir --raw --output-directory --profile-output
      --profile
    `,
  },
  "kubectl kustomize|kustomize build": {
    source: "kubectl kustomize --help: plugins are programs",
    spelling: "whole",
    options: `
      -o --output --enable-alpha-plugins --enable-exec --enable-helm --helm-command --network --mount --load-restrictor
    `,
  },
  "kubectl config|oc config": {
    source: "kubectl config --help",
    options: `
      set set-cluster set-context set-credentials unset use use-context rename-context delete-cluster
      delete-context delete-user
    `,
  },
  helm: {
    source: "helm --help: a post-renderer is a program, and so are plugins",
    spelling: "whole",
    options: `
      -d --post-renderer --post-renderer-args --output-dir --destination --kubeconfig --kube-apiserver
      --kube-as-user --kube-as-group --kube-ca-file --kube-token --registry-config --repository-config
      --repository-cache --content-cache --plugins-directory
    `,
  },
  "helm plugin": { source: "helm plugin --help", options: "install update uninstall remove rm un" },
  "helm repo": { source: "helm repo --help", options: "add remove rm update up index" },
  "terraform|tofu": {
    source: "terraform(1)",
    spelling: "one dash",
    options: `
      -chdir -out -state -state-out -backup -backup-out -plugin-dir -config-path -generate-config-out -from-module
      -backend-config -auto-approve -destroy -replace -force -write -migrate-state -reconfigure
      -junit-xml
    `,
  },
  "terraform state|tofu state": { source: "terraform state", options: "mv rm push replace-provider" },
  "terraform providers|tofu providers": { source: "terraform providers", options: "mirror lock" },
  "terraform workspace|tofu workspace": { source: "terraform workspace", options: "new delete select" },
}
