from regard.lab.models.designed_model import demonstration_model as demonstration_model
from regard.lab.models.offered_models import offer_model as offer_model
from regard.lab.serving.server import serve as serve
from regard.lab.table import ask as ask
from regard.lab.widget import Scene as Scene
