from regard.cluster.failures import ClusterError as ClusterError
from regard.cluster.failures import Interrupted as Interrupted
from regard.cluster.key_stores.arguments import attention as attention
from regard.cluster.key_stores.result import StoreAttention as StoreAttention
from regard.cluster.sweeps.arguments import sweep as sweep
from regard.cluster.sweeps.result import Sweep as Sweep
from regard.cluster.workers import describe_cluster as describe_cluster
